"""Deliveries of webhooks"""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from accounts.models import Mail
from core.events import deliver, emit
from core.ids import new_id
from core.jobs import sweep
from core.models import EventDelivery
from crm.models import Webhook, WebhookDelivery
from crm.webhooks import outcomes, sending
from tests.crm.contacts.helpers import form
from tests.crm.webhooks.helpers import Call, Receiver, add, happen, let_pass, receiver, rows, silent_port, work
from tests.kit.cast import Cast


@pytest.fixture
def there() -> Iterator[Receiver]:
    with receiver() as found:
        yield found


def verifies(call: Call, secret: str) -> bool:
    """Verify as the documentation tells receivers to."""
    id, moment = call.headers["webhook-id"], call.headers["webhook-timestamp"]
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.digest(key, f"{id}.{moment}.".encode() + call.raw, hashlib.sha256)).decode()
    given = [one.partition(",")[2] for one in call.headers["webhook-signature"].split() if one.startswith("v1,")]
    return any(hmac.compare_digest(one, expected) for one in given) and abs(time.time() - int(moment)) < 300


def test_a_webhook_tells_what_happened_signed_and_once(cast: Cast, outsiders: Cast, there: Receiver) -> None:
    made = add(cast, there.url, kinds=["contact.*"], headers={"Authorization": "Bearer canary-9d1"})
    add(outsiders, there.url, kinds=["*"], status="paused")
    contact = cast.key.post("/contact", {"formData": form(1, name="Ann")}).data["_id"]
    cast.key.put(f"/contact/{contact}", {"formData": {"name": "Anne"}})
    cast.key.post("/tag", {"name": "no record of an event that it wants"})
    work()
    work()
    created, updated = there.calls
    assert (created.path, created.headers["authorization"]) == ("/hook", "Bearer canary-9d1")
    assert verifies(created, made["secret"])
    assert not verifies(Call("", created.headers, created.raw + b" "), made["secret"])
    body = updated.body
    assert (body["type"], body["objectSequence"], body["data"]["id"]) == ("contact.updated", 2, contact)
    assert body["data"]["changes"]["name"] == {"from": "Ann", "to": "Anne"}
    assert body["data"]["object"]["name"] == "Anne"
    assert body["data"]["actor"] == cast.owner.pk
    assert created.headers["webhook-id"] != updated.headers["webhook-id"]
    assert rows(cast, "status", "attempts", "response_status") == [("delivered", 1, 200)] * 2
    assert rows(outsiders, "pk") == []
    shown = cast.key.get(f"/webhook/{made['_id']}").data
    assert (shown["failures"], shown["lastSuccessAt"] is not None, shown["headerNames"]) == (0, True, ["Authorization"])


def test_filters_fields_and_kinds_choose_the_events(cast: Cast, there: Receiver) -> None:
    tree = {"operator": "and", "conditions": [{"field": "name", "operator": "startsWith", "value": "A"}]}
    add(cast, there.url, kinds=["contact.updated", "contact.deleted"], filter=tree, fields=["email"], payload="thin")
    ann, bob = (cast.key.post("/contact", {"formData": form(n, name=name)}).data["_id"] for n, name in enumerate("AB"))
    for id, values in ((ann, {"email": "a2@x.example"}), (ann, {"name": "Ava"}), (bob, {"email": "b2@x.example"})):
        assert cast.key.put(f"/contact/{id}", {"formData": values}).status == 200
    cast.key.delete("/contact", {"ids": [ann, bob]})
    work()
    told = [(call.body["type"], call.body["data"]) for call in there.calls]
    assert told == [("contact.updated", {"id": ann}), ("contact.deleted", {"id": ann})]


def test_a_body_that_would_be_too_large_becomes_thin(cast: Cast, there: Receiver) -> None:
    add(cast, there.url)
    id = new_id()
    happen(cast, "note.created", id, text="x" * 70_000)
    work()
    assert there.calls[0].body["data"] == {"id": id}


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (500, "The answer was 500"),
        (404, "The answer was 404"),
        ((302, {"Location": "http://127.0.0.1:1/"}, b""), "redirect"),
        ((200, {"Content-Length": "10"}, b"abc"), "broke"),
        ((200, {"X-Stream": "1"}, b""), "longer"),
        (0, "did not answer"),
    ],
)
def test_what_is_no_success_is_tried_again(
    cast: Cast, there: Receiver, monkeypatch: pytest.MonkeyPatch, step: Any, told: str
) -> None:
    monkeypatch.setattr(sending, "SECONDS", 0.5)
    add(cast, there.url)
    there.answers(step, 204)
    happen(cast, "contact.deleted", new_id())
    work()
    [(status, error, due)] = rows(cast, "status", "error", "due_at")
    assert (status, told in error) == ("pending", True), error
    assert timedelta(seconds=3) < due - timezone.now() < timedelta(seconds=6)
    first = there.calls[0].headers
    let_pass(cast)
    work()
    assert rows(cast, "status", "attempts") == [("delivered", 2)]
    assert there.calls[-1].headers["webhook-id"] == first["webhook-id"], "a receiver knows it again"


def test_a_delivery_is_given_up_after_72_hours_of_attempts(cast: Cast, there: Receiver) -> None:
    add(cast, there.url)
    there.answers(500)
    happen(cast, "contact.deleted", new_id())
    work()
    waits = []
    for _ in range(len(outcomes.DELAYS)):
        waits.append((rows(cast, "due_at")[0][0] - timezone.now()).total_seconds())
        let_pass(cast)
        sending.drain(float("inf"))
    assert rows(cast, "status", "attempts") == [("failed", 12)]
    assert all(
        0.75 * one.total_seconds() < got < 1.25 * one.total_seconds()
        for one, got in zip(outcomes.DELAYS, waits, strict=True)
    )
    assert sum(outcomes.DELAYS, timedelta()) > timedelta(hours=70)


def test_a_busy_receiver_is_left_alone_for_as_long_as_it_asks(cast: Cast, there: Receiver) -> None:
    add(cast, there.url)
    there.answers((429, {"Retry-After": "600"}, b""))
    happen(cast, "contact.deleted", new_id())
    work()
    happen(cast, "contact.deleted", new_id())
    work()
    assert len(there.calls) == 1, "the others wait as well"
    assert rows(cast, "due_at")[0][0] > timezone.now() + timedelta(seconds=590)


def test_who_is_gone_is_told_nothing_more(cast: Cast, there: Receiver) -> None:
    made = add(cast, there.url)
    there.answers(410)
    for _ in range(3):
        happen(cast, "contact.deleted", new_id())
    work()
    shown = cast.key.get(f"/webhook/{made['_id']}").data
    assert (shown["status"], shown["disabledReason"]) == ("disabled", "gone")
    happen(cast, "contact.deleted", new_id())
    calls = len(there.calls)
    work()
    assert len(there.calls) == calls
    with cast.scope():
        assert Mail.objects.filter(kind="notice_webhook_failing").count() == 1


def test_after_five_failures_one_delivery_at_a_time_tries_and_owners_are_told(cast: Cast, there: Receiver) -> None:
    made = add(cast, there.url, ordering="none")
    there.answers(500)
    for _ in range(8):
        happen(cast, "contact.deleted", new_id())
    work()
    assert 5 <= len(there.calls) <= 8, "those that were under way together"
    attempts = sum(n for (n,) in rows(cast, "attempts"))
    for _ in range(3):
        let_pass(cast)
        work()
        attempts += 1
        assert sum(n for (n,) in rows(cast, "attempts")) == attempts, "the others wait and use up nothing"

    def told() -> int:
        with cast.scope():
            return Mail.objects.filter(kind="notice_webhook_failing").count()

    def failing_for(**span: int) -> None:
        with cast.scope():
            Webhook.objects.update(failing_since=timezone.now() - timedelta(**span))
        let_pass(cast)
        work()

    assert told() == 1
    failing_for(hours=25)
    failing_for(hours=26)
    assert told() == 2
    failing_for(hours=73)
    assert told() == 3
    shown = cast.key.get(f"/webhook/{made['_id']}").data
    assert (shown["status"], shown["disabledReason"]) == ("disabled", "failing")
    there.answers(200)
    assert cast.key.put(f"/webhook/{made['_id']}", {"status": "enabled"}).data["failures"] == 0
    let_pass(cast)
    work()
    assert {status for (status,) in rows(cast, "status")} == {"delivered"}


def test_the_events_of_one_record_come_in_their_order(cast: Cast, there: Receiver) -> None:
    """The first one fails: the second waits for it, those of other records don't."""
    add(cast, there.url)
    one, other = new_id(), new_id()
    happen(cast, "contact.created", one)
    happen(cast, "contact.updated", one, changes={})
    happen(cast, "contact.created", other)
    there.answers(lambda call: 500 if call.body["data"]["id"] == one else 200)
    work()
    seen = [(call.body["data"]["id"], call.body["objectSequence"]) for call in there.calls]
    assert sorted(seen) == sorted([(one, 1), (other, 1)])
    there.answers(200)
    let_pass(cast)
    work()
    assert [(call.body["data"]["id"], call.body["objectSequence"]) for call in there.calls[-2:]] == [(one, 1), (one, 2)]


def test_an_event_waits_for_the_former_one_that_the_consumer_has_not_handled(cast: Cast, there: Receiver) -> None:
    add(cast, there.url)
    id = new_id()
    happen(cast, "contact.created", id)
    happen(cast, "contact.updated", id)
    with cast.scope():
        first = EventDelivery.objects.filter(consumer="webhooks").order_by("event__sequence").first()
        EventDelivery.objects.filter(pk=first.pk).update(due_at=timezone.now() + timedelta(minutes=1))
    work()
    assert there.calls == []
    with cast.scope():
        EventDelivery.objects.update(due_at=timezone.now())
    work()
    assert [call.body["objectSequence"] for call in there.calls] == [1, 2]


def test_a_receiver_that_hangs_stops_nobody_else(
    cast: Cast, outsiders: Cast, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "SECONDS", 2.0)
    monkeypatch.setattr(sending, "THREADS", 6)
    with receiver() as hangs:
        hangs.answers(0)
        add(cast, hangs.url, ordering="none")
        add(outsiders, there.url)
        for _ in range(12):
            happen(cast, "contact.deleted", new_id())
        happen(outsiders, "contact.deleted", new_id())
        began = time.monotonic()
        done: list[float] = []
        there.answers(lambda call: done.append(time.monotonic() - began) or 200)
        work(until=lambda: time.monotonic() + 0.5)
        assert done[0] < 1.5
        assert len(hangs.calls) == sending.A_COMPANY


def test_what_a_dead_worker_held_is_sent_again(cast: Cast, there: Receiver) -> None:
    made = add(cast, there.url)
    happen(cast, "contact.deleted", new_id())
    deliver()
    with cast.scope():
        _, [held] = sending.claim(made["_id"], 4)
        assert sending.claim(made["_id"], 4)[1] == []
        WebhookDelivery.objects.update(worker=1)  # nobody alive has this number
    sweep()
    work()
    assert rows(cast, "status", "attempts") == [("delivered", 2)]
    with cast.scope(), pytest.raises(Exception, match=held.pk):
        outcomes.record(held, None, "too late", 1)


def test_nobody_listens(cast: Cast) -> None:
    add(cast, f"http://127.0.0.1:{silent_port()}/")
    happen(cast, "contact.deleted", new_id())
    work()
    assert "could not be reached" in rows(cast, "error")[0][0]


def test_a_private_address_is_refused_at_connection_too(
    cast: Cast, there: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name was public when the webhook was saved, and leads inside by now."""
    add(cast, there.url)
    settings.OUTBOUND_PRIVATE_HOSTS = []
    happen(cast, "contact.deleted", new_id())
    work()
    assert there.calls == []
    assert "inside this network" in rows(cast, "error")[0][0]


def test_a_company_without_webhooks_makes_no_deliveries(cast: Cast, outsiders: Cast) -> None:
    add(cast, "http://127.0.0.1:9/", kinds=["lead.*"])
    for one in (cast, outsiders):
        with one.scope(), transaction.atomic():
            emit("contact.created", [new_id()])
    happen(cast, "lead.deleted", new_id())
    with connection.cursor() as cursor, cast.scope():
        cursor.execute("SELECT count(*) FROM core_eventdelivery WHERE consumer = 'webhooks'")
        assert cursor.fetchone() == (1,)
