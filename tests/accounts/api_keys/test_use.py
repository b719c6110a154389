"""What API keys do once they are made: the contract's key properties (section 5), each row of the table, as they are
without STRICT_KEYS, and when a key was used last.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.api_keys.services import create_key, record_use
from accounts.models import ApiKey
from core.tenancy import unscoped
from tests.kit.cast import KEY, Caller, Cast, make_cast
from tests.kit.factories import MemberFactory
from tests.kit.threads import at_once

MINUTE = timedelta(minutes=1)


@pytest.fixture
def cast(cast: Cast) -> Cast:
    """The cast, whose key nobody has used yet."""
    used_at(cast.api_key, None)
    return cast


def with_key(key: str) -> Caller:
    return Caller(KEY, {"apikey": key})


def make_key(cast: Cast, **values: Any) -> ApiKey:
    """A key of the cast's owner."""
    with cast.scope():
        return create_key(member_id=cast.owner.pk, **values)


def age(key: ApiKey, by: timedelta) -> None:
    """Let the key have been made that much earlier."""
    with unscoped(reason="test: an older key"):
        ApiKey.objects.filter(pk=key.pk).update(created_at=timezone.now() - by)


# The table: key properties as implemented


@override_settings(STRICT_KEYS=False)
def test_ip_restriction_is_stored_and_returned_and_not_enforced(cast: Cast) -> None:
    made = cast.key.post("/api", {"ipRestriction": "restricted"})
    assert (made.status, made.data["ipRestriction"]) == (201, "restricted")
    caller = with_key(made.data["key"])
    for address in ("127.0.0.1", "203.0.113.9", "2001:db8::1"):
        answer = caller.call("GET", f"/api/{made.data['_id']}", REMOTE_ADDR=address)
        assert (answer.status, answer.data["ipRestriction"]) == (200, "restricted")


def test_a_temporary_keys_duration_is_validated(cast: Cast) -> None:
    for body in (
        {"type": "temporary"},
        {"type": "temporary", "durationMinutes": 0},
        {"type": "temporary", "durationMinutes": -5},
    ):
        assert cast.key.post("/api", body).status == 400, body
    made = cast.key.post("/api", {"type": "temporary", "durationMinutes": 1})
    assert (made.status, made.data["type"], made.data["durationMinutes"]) == (201, "temporary", 1)


@override_settings(STRICT_KEYS=False)
def test_a_temporary_key_does_not_expire_on_the_key_path(cast: Cast) -> None:
    key = make_key(cast, type=ApiKey.Type.TEMPORARY, duration_minutes=1)
    age(key, timedelta(days=400))
    assert with_key(key.key).get("/contact").status == 200


@override_settings(STRICT_KEYS=False, API_KEY_EXPIRY_ENFORCED=True)
def test_a_temporary_key_expires_where_the_operator_wants_it(cast: Cast) -> None:
    key = make_key(cast, type=ApiKey.Type.TEMPORARY, duration_minutes=10)
    age(key, timedelta(minutes=9, seconds=50))
    assert with_key(key.key).get("/contact").status == 200
    age(key, timedelta(minutes=10))
    refused = with_key(key.key).get("/contact")
    assert (refused.status, "expired" in refused.body["warning"]) == (401, True)
    lasting = make_key(cast)
    age(lasting, timedelta(days=400))
    assert with_key(lasting.key).get("/contact").status == 200


@override_settings(STRICT_KEYS=False)
@pytest.mark.parametrize("end", ["remove", "block"])
def test_a_key_stays_valid_after_its_member_has_gone(cast: Cast, end: str) -> None:
    with cast.scope():
        key = create_key(member_id=cast.narrow.pk)
    caller = with_key(key.key)
    if end == "remove":
        assert cast.session.delete(f"/member/{cast.narrow.pk}").status == 200
    else:
        assert cast.session.put(f"/member/{cast.narrow.pk}", {"status": "blocked"}).status == 200
    assert cast.narrow_session.get("/contact").status in (401, 403)
    assert caller.get("/contact").status == 200
    assert cast.session.get(f"/api/{key.pk}").data["createdBy"]["_id"] == cast.narrow.pk
    assert cast.session.delete("/api", {"ids": [key.pk]}).data == {"deletedCount": 1}
    assert caller.get("/contact").status == 401


def test_any_key_of_an_owner_reads_all_keys_of_its_company(cast: Cast, outsiders: Cast) -> None:
    with cast.scope():
        owners, theirs = create_key(member_id=MemberFactory().pk), create_key(member_id=cast.narrow.pk)
    for key in (cast.api_key, theirs):
        read = with_key(owners.key).get(f"/api/{key.pk}")
        assert (read.status, read.data["key"]) == (200, key.key)
    listed = with_key(owners.key).get("/api")
    assert {row["_id"] for row in listed.data} == {cast.api_key.pk, owners.pk, theirs.pk}
    assert with_key(owners.key).get(f"/api/{outsiders.api_key.pk}").status == 400


def test_rotation(cast: Cast) -> None:
    fresh = cast.key.post("/api", {}).data
    caller = with_key(fresh["key"])
    assert (cast.key.get("/contact").status, caller.get("/contact").status) == (200, 200)
    assert caller.delete("/api", {"ids": [cast.api_key.pk]}).data == {"deletedCount": 1}
    assert (cast.key.get("/contact").status, caller.get("/contact").status) == (401, 200)
    assert caller.put(f"/api/{fresh['_id']}", {"type": "temporary"}).status == 404


# When it was used last


def last_used(key: ApiKey) -> datetime | None:
    with unscoped(reason="test: one key"):
        return ApiKey.objects.values_list("last_used_at", flat=True).get(pk=key.pk)


def used_at(key: ApiKey, moment: datetime | None) -> None:
    with unscoped(reason="test: one key"):
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=moment)


def test_the_first_use_is_noted_and_shown(cast: Cast) -> None:
    key = make_key(cast)
    assert cast.session.get(f"/api/{key.pk}").data["lastUsedAt"] is None
    before = timezone.now()
    assert with_key(key.key).get("/tag").status == 200
    noted = last_used(key)
    assert noted is not None
    assert before <= noted <= timezone.now()
    shown = noted.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert cast.session.get(f"/api/{key.pk}").data["lastUsedAt"] == shown
    rows = {row["_id"]: row["lastUsedAt"] for row in cast.session.get("/api").data}
    assert rows == {key.pk: shown, cast.api_key.pk: None}
    assert [row["_id"] for row in cast.session.get("/api", sortBy="lastUsedAt").data] == [key.pk, cast.api_key.pk]
    assert [row["_id"] for row in cast.session.get("/api", filters={"lastUsedAt": None}).data] == [cast.api_key.pk]


def writes(call: Any) -> list[str]:
    """The statements of the call that change or lock anything."""
    with CaptureQueriesContext(connection) as captured:
        call()
    return [
        one["sql"]
        for one in captured.captured_queries
        if one["sql"].startswith(("UPDATE", "SAVEPOINT", "BEGIN")) or "FOR " in one["sql"]
    ]


def test_within_a_minute_nothing_is_written(cast: Cast) -> None:
    noted = timezone.now() - timedelta(seconds=50)
    used_at(cast.api_key, noted)
    assert writes(lambda: cast.key.get("/tag", p="1", n="1")) == []
    assert last_used(cast.api_key) == noted


def test_after_a_minute_it_is_noted_again(cast: Cast) -> None:
    used_at(cast.api_key, timezone.now() - MINUTE)
    changed = cast.key.get(f"/api/{cast.api_key.pk}").data["updatedAt"]
    assert timezone.now() - last_used(cast.api_key) < MINUTE
    assert cast.key.get(f"/api/{cast.api_key.pk}").data["updatedAt"] == changed


def test_a_refused_request_is_no_use(cast: Cast) -> None:
    key = make_key(cast, type=ApiKey.Type.TEMPORARY, duration_minutes=1)
    age(key, timedelta(hours=1))
    assert with_key(key.key).get("/tag").status == 401
    assert with_key(key.key).call("GET", "/tag", HTTP_AUTHORIZATION="Bearer x").status == 400
    assert last_used(key) is None


@pytest.fixture
def committed(transactional_db: None) -> Cast:
    cast = make_cast()
    used_at(cast.api_key, None)
    return cast


def test_of_many_at_once_one_writes(committed: Cast) -> None:
    key = committed.api_key
    for stale in (None, timezone.now() - 2 * MINUTE):
        used_at(key, stale)
        wrote = at_once(8, committed.company.pk, lambda n, stale=stale: record_use(key_id=key.pk, last_used_at=stale))
        assert sorted(wrote) == [False] * 7 + [True]


def test_a_request_does_not_wait_for_a_lock_on_its_key(committed: Cast) -> None:
    def request(n: int) -> int:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '5s'")  # one that waits is a 500, and not a test that hangs
        return committed.key.get("/tag", p="1", n="1").status

    with unscoped(reason="test: somebody else's transaction"), transaction.atomic():
        ApiKey.objects.select_for_update().get(pk=committed.api_key.pk)
        assert at_once(3, committed.company.pk, request) == [200] * 3
    assert last_used(committed.api_key) is None
