"""Idempotency-Key: the same request takes effect once and gets the same answer, on both mounts."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.api import idempotency
from core.idempotency import services
from core.models import IdempotencyKey
from core.outbound import require_network_allowed
from crm.models import Contact, File, Tag
from tests.crm.contacts.helpers import form
from tests.kit.cast import Answer, Caller, Cast


def send(
    caller: Caller, method: str, path: str, body: Any = None, key: str = "order-1", query: dict[str, Any] | None = None
) -> Answer:
    return caller.call(method, path, body, query, HTTP_IDEMPOTENCY_KEY=key)


def replayed(answer: Answer) -> bool:
    return bool(answer.headers.get("Idempotency-Replayed") == "true")


@pytest.mark.parametrize("way", ["key", "session"])
def test_a_repeated_request_gets_the_first_answer(cast: Cast, way: str) -> None:
    caller: Caller = getattr(cast, way)
    first = send(caller, "POST", "/tag", {"name": "Fair"})
    again = send(caller, "POST", "/tag", {"name": "Fair"}, key='"order-1"')
    assert (first.status, again.status) == (201, 201)
    assert again.body == first.body
    assert (replayed(first), replayed(again)) == (False, True)
    with cast.scope():
        assert Tag.objects.filter(name="Fair").count() == 1


def test_every_writing_method_and_bulk_have_it(cast: Cast) -> None:
    id = cast.key.post("/tag", {"name": "Fair"}).data["_id"]
    people = {"formData": [form(n) for n in range(3)]}
    calls = [
        ("PUT", f"/tag/{id}", {"name": "Expo"}),
        ("POST", "/contact/bulk", people),
        ("DELETE", "/tag", {"ids": [id]}),
    ]
    for number, (method, path, body) in enumerate(calls):
        first, again = (send(cast.key, method, path, body, key=f"k{number}") for _ in range(2))
        assert first.status in (200, 201), first.body
        assert (again.status, again.body, replayed(again)) == (first.status, first.body, True)
    with cast.scope():
        assert Contact.objects.count() == 3
        assert not Tag.objects.exists()


def test_other_content_is_refused_by_name(cast: Cast) -> None:
    send(cast.key, "POST", "/tag", {"name": "Fair"})
    others: list[tuple[str, str, Any, dict[str, Any]]] = [
        ("POST", "/tag", {"name": "Expo"}, {}),
        ("POST", "/contact-category", {"name": "Fair"}, {}),
        ("DELETE", "/tag", {"selectAll": True}, {}),
    ]
    for method, path, body, query in others:
        answer = send(cast.key, method, path, body, query=query)
        assert answer.status == 400
        assert answer.body["warning"].startswith("Idempotency-Key: has been used for POST /api/key/protected/tag")
    with cast.scope():
        assert list(Tag.objects.values_list("name", flat=True)) == ["Fair"]


@pytest.mark.parametrize("key", ["", " ", "x" * 256, "käse", '""'])
def test_a_key_that_is_none_is_refused(cast: Cast, key: str) -> None:
    answer = send(cast.key, "POST", "/tag", {"name": "Fair"}, key=key)
    assert (answer.status, answer.body["warning"][:16]) == (400, "Idempotency-Key:")


def test_callers_and_companies_have_keys_of_their_own(cast: Cast, outsiders: Cast) -> None:
    answers = [send(caller, "POST", "/tag", {"name": "Fair"}) for caller in (cast.key, outsiders.key, cast.session)]
    assert [answer.status for answer in answers] == [201, 201, 400]
    assert not any(map(replayed, answers))
    with outsiders.scope():
        assert IdempotencyKey.objects.count() == 1


def test_a_refusal_is_kept_and_nothing_of_a_server_error(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    cast.key.post("/tag", {"name": "Fair"})
    refused = send(cast.key, "POST", "/tag", {"name": "Fair"})
    with cast.scope():
        Tag.objects.all().delete()
    again = send(cast.key, "POST", "/tag", {"name": "Fair"})
    assert refused.status == 400
    assert (again.status, again.body, replayed(again)) == (400, refused.body, True)

    def broken(*_: Any, **__: Any) -> Any:
        Tag.objects.create(name="Half")
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr("crm.tags.views.create_tag", broken)
        assert _unexpected(cast) == 500
    with cast.scope():
        assert not Tag.objects.exists()
    assert send(cast.key, "POST", "/tag", {"name": "Expo"}, key="k2").status == 201


def _unexpected(cast: Cast) -> int:
    from tests.kit import openapi

    openapi.allowed["unexpected"] = True
    try:
        return send(cast.key, "POST", "/tag", {"name": "Expo"}, key="k2").status
    finally:
        openapi.allowed["unexpected"] = False


def test_after_a_day_the_key_is_free(cast: Cast) -> None:
    send(cast.key, "POST", "/tag", {"name": "Fair"})
    with time_machine.travel(timezone.now() + timedelta(hours=23, minutes=59), tick=False):
        assert replayed(send(cast.key, "POST", "/tag", {"name": "Fair"}))
    with time_machine.travel(timezone.now() + timedelta(hours=24, seconds=2), tick=False):
        late = send(cast.key, "POST", "/tag", {"name": "Expo"})
        assert (late.status, replayed(late)) == (201, False)
    with time_machine.travel(timezone.now() + timedelta(hours=49), tick=False), cast.scope():
        assert services.purge() is False
        assert not IdempotencyKey.objects.exists()


@pytest.mark.undescribed("an answer without its data")
def test_an_answer_that_is_too_long_is_not_kept_but_that_it_was_done_is(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MAX_BYTES", 50)
    send(cast.key, "POST", "/tag", {"name": "Fair"})
    with cast.scope():
        assert IdempotencyKey.objects.get().answer == ""
    again = send(cast.key, "POST", "/tag", {"name": "Fair"})
    assert (again.status, again.data, replayed(again)) == (201, None, True)
    assert "too long to keep" in again.body["warning"]
    with cast.scope():
        assert Tag.objects.count() == 1


def test_answers_are_not_readable_in_the_database(cast: Cast) -> None:
    send(cast.key, "POST", "/api", {"name": "Other program"})
    with connection.cursor() as cursor, cast.scope():
        cursor.execute("SELECT answer FROM core_idempotencykey")
        (stored,) = cursor.fetchone()
    assert stored.startswith("aesgcm:")


def test_a_request_without_a_key_costs_nothing(cast: Cast) -> None:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        cast.key.post("/tag", {"name": "Fair"})
    assert not [one for one in queries.captured_queries if "idempotency" in one["sql"] or "advisory" in one["sql"]]


def test_uploads_count_by_their_content(cast: Cast) -> None:
    def upload(content: bytes) -> Any:
        part = SimpleUploadedFile("people.csv", content, "text/csv")
        headers = {**cast.key.headers, "Idempotency-Key": "order-1"}
        return cast.key.client.post(cast.key.prefix + "/upload", {"file": part}, headers=headers)

    first, again, other = upload(b"name\nAnn\n"), upload(b"name\nAnn\n"), upload(b"name\nBob\n")
    assert [one.status_code for one in (first, again, other)] == [201, 201, 400]
    assert again.json() == first.json()
    with cast.scope():
        assert File.objects.count() == 1


def test_what_asks_other_servers_runs_in_transactions_of_its_own(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is begun in one transaction, and begun again behind a claim as soon as it wants to connect."""
    from crm.tags import views

    seen, create = [], views.create_tag

    def remote(*args: Any, **kwargs: Any) -> Any:
        tag = create(*args, **kwargs)
        require_network_allowed()
        with connection.cursor() as cursor:
            cursor.execute("SELECT status FROM core_idempotencykey")
            seen.append(cursor.fetchall())
        return tag

    monkeypatch.setattr(views, "create_tag", remote)
    first, again = (send(cast.key, "POST", "/tag", {"name": "Fair"}) for _ in range(2))
    assert (first.status, again.body, replayed(again)) == (201, first.body, True)
    assert seen == [[(None,)]]
    with cast.scope():
        assert Tag.objects.filter(name="Fair").count() == 1


def test_one_that_was_cut_off_is_told_of(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idempotency, "WAIT_SECONDS", 0.1)
    send(cast.key, "POST", "/tag", {"name": "Fair"})
    with cast.scope():
        IdempotencyKey.objects.update(status=None)
    young = send(cast.key, "POST", "/tag", {"name": "Fair"})
    assert young.status == 409
    with cast.scope():
        IdempotencyKey.objects.update(created_at=timezone.now() - timedelta(seconds=30))
    old = send(cast.key, "POST", "/tag", {"name": "Fair"})
    assert (old.status, "see whether it took effect" in old.body["warning"]) == (409, True)


@pytest.mark.django_db(transaction=True)
def test_the_second_waits_for_the_first(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    from crm.tags import views

    began, go, create = threading.Event(), threading.Event(), views.create_tag

    def slow(*args: Any, **kwargs: Any) -> Any:
        began.set()
        assert go.wait(20)
        return create(*args, **kwargs)

    monkeypatch.setattr(views, "create_tag", slow)
    answers: list[Answer] = []

    def ask() -> None:
        try:
            answers.append(send(cast.key, "POST", "/tag", {"name": "Fair"}))
        finally:
            connection.close()

    first = threading.Thread(target=ask)
    first.start()
    assert began.wait(20)
    monkeypatch.setattr(idempotency, "WAIT_SECONDS", 0.2)
    refused = send(cast.key, "POST", "/tag", {"name": "Fair"})
    assert (refused.status, refused.headers["Retry-After"]) == (409, "1")
    monkeypatch.setattr(idempotency, "WAIT_SECONDS", 20.0)
    second = threading.Thread(target=ask)
    second.start()
    go.set()
    first.join(20)
    second.join(20)
    assert [one.status for one in answers] == [201, 201]
    assert answers[0].body == answers[1].body
    assert sorted(map(replayed, answers)) == [False, True]
