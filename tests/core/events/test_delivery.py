"""Domain events: written with the change, delivered exactly once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core import jobs
from core.events import EventConsumer, deliver, emit, one_by_one
from core.events.delivery import BATCH, MAX_ATTEMPTS
from core.events.kinds import EVENT_KINDS
from core.ids import new_id
from core.models import Event, EventDelivery
from core.tenancy import company_id, unscoped, use_owner_role
from tests.kit.cast import Cast, make_cast
from tests.kit.threads import at_once

Handled = list[tuple[str, str, str]]


Registrar = Callable[..., None]


@pytest.fixture(autouse=True)
def _kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kinds of these tests."""
    monkeypatch.setattr("core.events.services.EVENT_KINDS", {*EVENT_KINDS, "thing.made", "thing.lost"})


@pytest.fixture
def register() -> Iterator[Registrar]:
    """Registers a consumer of thing.made (unless other kinds are named) for this test."""
    consumers: list[EventConsumer] = []

    def register(name: str, handle_many: Callable[[Sequence[Event]], None], *kinds: str) -> None:
        consumers.append(EventConsumer(name, handle_many, kinds=kinds or ("thing.made",)))
        jobs.register(consumers[-1])

    yield register
    for consumer in consumers:
        del jobs.WORK[consumer.key]


@pytest.fixture
def seen(register: Registrar) -> Handled:
    """What a consumer of thing.made has handled: (company, object, kind)."""
    handled: Handled = []
    register("test", one_by_one(lambda event: handled.append((company_id(), event.object_id, event.kind))))
    return handled


def things(number: int) -> list[str]:
    """Emit thing.made for so many new ids. Returns these."""
    ids = [new_id() for _ in range(number)]
    emit("thing.made", ids)
    return ids


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


def test_a_consumer_gets_each_event_once_in_its_own_company(cast: Cast, outsiders: Cast, seen: Handled) -> None:
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


def test_a_failing_consumer_is_tried_again_and_parked_in_the_end(scope: Cast, register: Registrar) -> None:
    def fail(event: Event) -> None:
        Event.objects.filter(pk=event.pk).update(payload={"half": "done"})
        raise RuntimeError("not today")

    register("failing", one_by_one(fail))
    emit("thing.made", [new_id()])
    for attempt in range(1, MAX_ATTEMPTS + 1):
        EventDelivery.objects.update(due_at=timezone.now())
        assert deliver() == 1
        delivery = EventDelivery.objects.get()
        assert (delivery.attempts, delivery.error) == (attempt, "RuntimeError: not today")
        assert delivery.status == ("pending" if attempt < MAX_ATTEMPTS else "parked")
    assert Event.objects.get().payload == {}, "what a failed handler wrote is rolled back"


def test_events_come_many_at_once_in_their_order_one_company_at_a_time(
    cast: Cast, outsiders: Cast, register: Registrar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.events.delivery.BATCH", 5)
    batches: list[tuple[str, list[str]]] = []
    register("batches", lambda found: batches.append((company_id(), [event.object_id for event in found])))
    made: dict[str, list[str]] = {}
    for one in (cast, outsiders, cast):
        with one.scope(), transaction.atomic():
            made.setdefault(one.company.pk, []).extend(things(4))
    assert deliver() == 12
    assert [(company, len(ids)) for company, ids in batches] == [
        (cast.company.pk, 4),
        (outsiders.company.pk, 1),
        (cast.company.pk, 2),
        (outsiders.company.pk, 3),
        (cast.company.pk, 2),
    ]
    for company, ids in made.items():
        assert [id for owner, found in batches for id in found if owner == company] == ids


def test_a_bad_event_among_many_is_retried_alone(scope: Cast, register: Registrar) -> None:
    ids = [new_id() for _ in range(7)]
    bad, sizes = ids[3], []

    def handle(found: Sequence[Event]) -> None:
        sizes.append(len(found))
        for event in found:
            Event.objects.filter(pk=event.pk).update(actor_id=event.object_id, sequence=-event.sequence)
            if event.object_id == bad:
                raise ValueError("this one")

    other: list[str] = []
    register("picky", handle)
    register("other", lambda found: other.extend(event.object_id for event in found))
    emit("thing.made", ids)
    assert deliver() == 14
    assert sizes == [7, 1, 1, 1, 1, 1, 1, 1]
    assert other == ids, "what another consumer does with the same events stays"
    left = EventDelivery.objects.get()
    assert (left.consumer, left.event.object_id, left.attempts, left.error) == ("picky", bad, 1, "ValueError: this one")
    # Negated once each: what the failed batch wrote was rolled back before they were handled again.
    assert {event.object_id for event in Event.objects.filter(sequence__lt=0, actor_id__isnull=False)} == set(ids) - {
        bad
    }
    assert deliver() == 0


def test_an_error_of_the_database_costs_no_other_event(scope: Cast, register: Registrar) -> None:
    handled: list[str] = []

    def handle(event: Event) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 / %s", [0 if event.payload.get("bad") else 1])
        handled.append(event.object_id)

    ids = [new_id() for _ in range(3)]
    register("dividing", one_by_one(handle))
    emit("thing.made", ids, payloads={ids[1]: {"bad": True}})
    assert deliver() == 3
    assert handled == [ids[0], ids[0], ids[2]], "the first one's transaction was rolled back, and it was handled again"
    assert EventDelivery.objects.get().error.startswith("DataError: division by zero")


def test_consumers_are_notified_once_after_the_commit_unless_they_can_wait(
    scope: Cast, seen: Handled, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    notified: list[str] = []
    monkeypatch.setattr("core.jobs.notify._publish", lambda work, **_: notified.append(work.name))
    for kind, ids, notify, wanted in (
        ("thing.made", [new_id()], True, ["events"]),
        ("thing.made", [new_id()], False, []),
        ("thing.made", [], True, []),
        ("thing.lost", [new_id()], True, []),
    ):
        with django_capture_on_commit_callbacks(execute=True):
            emit(kind, ids, notify=notify)
        assert notified == wanted
        notified.clear()
    assert deliver() == 2


def test_work_ends_at_the_deadline_and_leaves_the_rest_as_it_was(cast: Cast, outsiders: Cast, seen: Handled) -> None:
    for one in (cast, outsiders):
        with one.scope(), transaction.atomic():
            things(1)
    assert deliver(deadline=0.0) == 0
    with unscoped(reason="test"):
        assert list(EventDelivery.objects.values_list("attempts", "status").distinct()) == [(0, "pending")]
        assert EventDelivery.objects.count() == 2
    assert deliver() == 2


def test_statements_do_not_grow_with_the_events(scope: Cast, seen: Handled) -> None:
    counts = []
    for number in (1, 300):
        with CaptureQueriesContext(connection) as written:
            things(number)
        with CaptureQueriesContext(connection) as handled:
            assert deliver() == number
        counts.append((len(written), len(handled)))
    assert counts[0] == counts[1]
    assert counts[0][0] == 1
    assert len(seen) == 301


def test_the_due_ones_are_read_from_their_index_in_order(scope: Cast, seen: Handled) -> None:
    things(2000)
    with CaptureQueriesContext(connection) as captured:
        deliver(deadline=float("inf"))
    taking = next(query["sql"] for query in captured if "SKIP LOCKED" in query["sql"])
    things(2000)
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute("ANALYZE core_eventdelivery")
        cursor.execute("EXPLAIN " + taking)
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "eventdelivery_due" in plan, plan
    assert "Sort" not in plan, plan


@pytest.mark.django_db(transaction=True)
def test_workers_at_once_handle_each_event_exactly_once(register: Registrar) -> None:
    cast, meeting = make_cast(), Barrier(2, timeout=20)
    batches: list[list[str]] = []

    def handle(found: Sequence[Event]) -> None:
        if not batches:
            meeting.wait()  # both hold events now, neither those of the other
        batches.append([event.object_id for event in found])

    register("workers", handle)
    with cast.scope(), transaction.atomic():
        ids = things(3 * BATCH)
    assert sum(at_once(2, None, lambda n: deliver())) == len(ids)
    assert Counter(id for batch in batches for id in batch) == Counter(ids)
    with unscoped(reason="test"):
        assert not EventDelivery.objects.exists()


def test_events_without_consumers_cost_one_row(scope: Cast) -> None:
    emit("thing.lost", [new_id()])
    with unscoped(reason="test"):
        assert (Event.objects.count(), EventDelivery.objects.count()) == (1, 0)
