"""Domain events: written with the change, delivered exactly once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import transaction
from django.utils import timezone

from core import events
from core.events import CONSUMERS, Consumer, deliver, emit
from core.ids import new_id
from core.models import Event, EventDelivery
from core.tenancy import company_id, unscoped
from tests.cast import Cast

Seen = list[tuple[str, str, str]]


@pytest.fixture
def seen() -> Iterator[Seen]:
    """What a consumer of thing.made has handled: (company, object, kind)."""
    handled: Seen = []
    CONSUMERS["test"] = Consumer(
        "test", frozenset({"thing.made"}), lambda event: handled.append((company_id(), event.object_id, event.kind))
    )
    yield handled
    del CONSUMERS["test"]


def test_events_are_refused_outside_of_a_transaction(transactional_db: None) -> None:
    with pytest.raises(transaction.TransactionManagementError):
        emit("thing.made", [new_id()])


def test_events_are_in_order_and_carry_what_happened(scope: Cast) -> None:
    ids = [new_id() for _ in range(3)]
    emit("thing.made", ids, payloads={ids[0]: {"name": ["a", "b"]}}, actor_id=scope.owner.pk, automation=False)
    rows = list(Event.objects.order_by("sequence"))
    assert [row.object_id for row in rows] == ids
    assert [row.payload for row in rows] == [{"name": ["a", "b"]}, {}, {}]
    assert {(row.kind, row.actor_id, row.automation, row.company_id) for row in rows} == {
        ("thing.made", scope.owner.pk, False, scope.company.pk)
    }


def test_a_consumer_gets_each_event_once_in_its_own_company(cast: Cast, outsiders: Cast, seen: Seen) -> None:
    expected = []
    for one in (cast, outsiders):
        with one.scope(), transaction.atomic():
            thing = new_id()
            emit("thing.made", [thing])
            emit("thing.lost", [new_id()])
            expected.append((one.company.pk, thing, "thing.made"))
    assert deliver() == 2
    assert sorted(seen) == sorted(expected)
    assert deliver() == 0
    assert len(seen) == 2


def test_a_failing_consumer_is_tried_again_and_parked_in_the_end(scope: Cast) -> None:
    def fail(event: Event) -> None:
        Event.objects.filter(pk=event.pk).update(payload={"half": "done"})
        raise RuntimeError("not today")

    CONSUMERS["failing"] = Consumer("failing", frozenset({"thing.made"}), fail)
    try:
        emit("thing.made", [new_id()])
        for attempt in range(1, events.MAX_ATTEMPTS + 1):
            EventDelivery.objects.update(due_at=timezone.now())
            assert deliver() == 1
            delivery = EventDelivery.objects.get()
            assert (delivery.attempts, delivery.error) == (attempt, "RuntimeError: not today")
            assert delivery.status == ("pending" if attempt < events.MAX_ATTEMPTS else "parked")
    finally:
        del CONSUMERS["failing"]
    assert Event.objects.get().payload == {}, "what a failed handler wrote is rolled back"


def test_events_without_consumers_cost_one_row(scope: Cast) -> None:
    emit("thing.lost", [new_id()])
    with unscoped(reason="test"):
        assert (Event.objects.count(), EventDelivery.objects.count()) == (1, 0)
