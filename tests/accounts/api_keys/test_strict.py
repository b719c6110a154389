"""Keys with STRICT_KEYS: bound by what their maker is now, by their term and by their addresses."""

from __future__ import annotations

from typing import Any

import pytest
import time_machine
from django.utils import timezone

from accounts.api_keys.services import create_key
from accounts.models import ApiKey, Member, Role
from tests.kit.cast import KEY, SESSION, Caller, Cast, make_cast, session_headers
from tests.kit.factories import MemberFactory

HOME, ELSEWHERE = "203.0.113.9", "198.51.100.7"


def with_key(key: str) -> Caller:
    return Caller(KEY, {"apikey": key})


def from_address(caller: Caller, address: str, method: str = "GET", path: str = "/contact", **values: Any) -> Any:
    return caller.call(method, path, values.pop("body", None), REMOTE_ADDR=address, **values)


# Members, roles, ownership and keys


@pytest.fixture
def admin(cast: Cast) -> Member:
    with cast.scope():
        return MemberFactory(status=Member.Status.ACCEPTED, role=Role.objects.get(name="Admin"))


@pytest.mark.parametrize("strict", [True, False])
def test_an_admin_becomes_no_owner_by_a_key(cast: Cast, admin: Member, strict: bool, settings: Any) -> None:
    settings.STRICT_KEYS = strict
    made = Caller(SESSION, session_headers(admin)).post("/api", {})
    assert made.status == 201
    caller = with_key(made.data["key"])
    assert caller.get("/contact").status == 200
    for answer in (
        caller.put(f"/member/{admin.pk}", {"status": "owner"}),
        caller.put(f"/member/{cast.owner.pk}", {"status": "accepted"}),
        caller.delete(f"/member/{cast.narrow.pk}"),
        caller.post("/member", {"email": "me@example.com"}),
        caller.post(f"/member/{admin.pk}/transfer-ownership", {}),
        caller.get("/role"),
        caller.post("/role", {"name": "All", "permission": {}}),
        caller.get("/api"),
        caller.get(f"/api/{cast.api_key.pk}"),
        caller.post("/api", {}),
        caller.delete("/api", {"ids": [cast.api_key.pk]}),
    ):
        assert (answer.status, "maker is no owner" in answer.body["warning"]) == (403, True), answer.body
    with cast.scope():
        assert Member.objects.get(pk=admin.pk).status == "accepted"
        assert ApiKey.objects.count() == 2


@pytest.mark.parametrize("strict", [True, False])
def test_a_former_owners_key_is_an_owners_no_more(cast: Cast, strict: bool, settings: Any) -> None:
    settings.STRICT_KEYS = strict
    assert cast.key.get("/member").status == 200
    assert cast.key.post(f"/member/{cast.narrow.pk}/transfer-ownership", {}).status == 200
    assert cast.key.get("/member").status == 403
    assert cast.key.post(f"/member/{cast.narrow.pk}/transfer-ownership", {}).status == 403
    assert cast.key.get("/contact").status == 200


def test_the_key_of_who_was_removed_opens_nothing(cast: Cast, admin: Member) -> None:
    with cast.scope():
        key = create_key(member_id=admin.pk)
    caller = with_key(key.key)
    assert caller.get("/contact").status == 200
    assert cast.session.delete(f"/member/{admin.pk}").status == 200
    refused = caller.get("/contact")
    assert (refused.status, refused.body["warning"]) == (401, "the key's maker is no active member of the company")
    with cast.scope():
        assert ApiKey.objects.get(pk=key.pk).last_used_at is not None


# Terms and addresses


def test_a_temporary_key_expires(cast: Cast) -> None:
    made = cast.session.post("/api", {"type": "temporary", "durationMinutes": 1.5}).data["key"]
    now = timezone.now()
    with time_machine.travel(now, tick=False) as clock:
        clock.shift(85)
        assert with_key(made).get("/contact").status == 200
        clock.shift(10)
        assert with_key(made).get("/contact").status == 401


def test_a_restricted_key_works_from_where_it_was_made(cast: Cast) -> None:
    made = from_address(cast.session, HOME, "POST", "/api", body={"ipRestriction": "restricted"})
    assert (made.status, made.data["allowedIps"]) == (201, [HOME])
    caller = with_key(made.data["key"])
    assert from_address(caller, HOME).status == 200
    assert from_address(caller, f"::ffff:{HOME}").status == 200
    refused = from_address(caller, ELSEWHERE)
    assert (refused.status, refused.body["warning"]) == (401, f"the key does not work from the address {ELSEWHERE}")


def test_a_restricted_key_works_from_its_addresses_and_networks(cast: Cast) -> None:
    listed = ["198.51.100.0/24", "2001:DB8:1::1/48", "::ffff:192.0.2.1", "192.0.2.7/32", "::ffff:192.0.3.0/120"]
    made = from_address(cast.session, HOME, "POST", "/api", body={"ipRestriction": "restricted", "allowedIps": listed})
    assert made.data["allowedIps"] == ["198.51.100.0/24", "2001:db8:1::/48", "192.0.2.1", "192.0.2.7", "192.0.3.0/24"]
    assert cast.session.get(f"/api/{made.data['_id']}").data["allowedIps"] == made.data["allowedIps"]
    caller = with_key(made.data["key"])
    for address, status in (
        (ELSEWHERE, 200),
        ("2001:db8:1:9::7", 200),
        ("192.0.2.1", 200),
        ("192.0.2.7", 200),
        ("192.0.2.8", 401),
        ("2001:db8:2::1", 401),
        (HOME, 401),
        ("nowhere", 401),
    ):
        assert from_address(caller, address).status == status, address


def test_the_address_is_what_our_proxies_say(cast: Cast, settings: Any) -> None:
    settings.TRUSTED_PROXIES = 1
    made = from_address(
        cast.session, "10.0.0.1", "POST", "/api", body={"ipRestriction": "restricted"}, HTTP_X_FORWARDED_FOR=HOME
    )
    assert made.data["allowedIps"] == [HOME]
    caller = with_key(made.data["key"])
    assert from_address(caller, "10.0.0.1", HTTP_X_FORWARDED_FOR=HOME).status == 200
    assert from_address(caller, "10.0.0.1", HTTP_X_FORWARDED_FOR=f"{HOME}, {ELSEWHERE}").status == 401
    settings.TRUSTED_PROXIES = 0
    assert from_address(caller, ELSEWHERE, HTTP_X_FORWARDED_FOR=HOME).status == 401


def test_a_restricted_key_without_addresses_works_nowhere(cast: Cast) -> None:
    """Such keys were made before addresses were kept."""
    made = from_address(cast.session, HOME, "POST", "/api", body={"ipRestriction": "restricted"}).data
    with cast.scope():
        ApiKey.objects.filter(pk=made["_id"]).update(allowed_ips=None)
    assert from_address(with_key(made["key"]), HOME).status == 401


@pytest.mark.parametrize(
    "body",
    [
        {"allowedIps": [HOME]},
        {"allowedIps": [HOME], "ipRestriction": "open"},
        {"allowedIps": [], "ipRestriction": "restricted"},
        {"allowedIps": ["example.com"], "ipRestriction": "restricted"},
        {"allowedIps": ["10.0.0.0/33"], "ipRestriction": "restricted"},
        {"allowedIps": [3232235777], "ipRestriction": "restricted"},
        {"allowedIps": HOME, "ipRestriction": "restricted"},
        {"allowedIps": None, "ipRestriction": "restricted"},
        {"allowedIps": ["10.0.0.1"] * 101, "ipRestriction": "restricted"},
    ],
)
def test_bad_addresses_name_the_field(cast: Cast, body: dict[str, Any]) -> None:
    answer = cast.session.post("/api", body)
    assert (answer.status, "allowedIps" in answer.body["message"]) == (400, True), answer.body


def test_an_unknown_address_must_be_named(cast: Cast) -> None:
    answer = from_address(cast.session, "unix:", "POST", "/api", body={"ipRestriction": "restricted"})
    assert (answer.status, "allowedIps" in answer.body["message"]) == (400, True)


def test_a_members_key_sees_what_their_role_lets_it_see(db: None) -> None:
    cast = make_cast({"contact": {"GET": True}, "lead": {"GET": True}})
    with cast.scope():
        caller = with_key(create_key(member_id=cast.narrow.pk).key)
    assert caller.get("/contact").status == caller.get("/lead").status == 200
    assert caller.get("/tag").status == 403
    assert caller.post("/contact", {"formData": {"email": "a@example.com"}}).status == 403
