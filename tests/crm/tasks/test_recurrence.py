"""Recurring tasks: the next one is created when one is completed, once, and on the clock of the company."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine

from crm.activities.recurrence import first_time, next_time
from crm.activities.tasks import update_task
from crm.models import FollowUp
from tests.crm.tasks.helpers import PATH, events, new, put
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory
from tests.kit.threads import at_once

BERLIN = ZoneInfo("Europe/Berlin")


def due_times(recurrence: str, first: str, count: int) -> list[str]:
    """Return the local times of the occurrences after the first one."""
    due_at = datetime.fromisoformat(first).replace(tzinfo=BERLIN).astimezone(UTC)
    start = first_time(due_at, BERLIN)
    found = []
    for _ in range(count):
        due_at = next_time(recurrence, start, due_at, BERLIN)
        found.append(due_at.astimezone(BERLIN).strftime("%Y-%m-%dT%H:%M"))
    return found


@pytest.mark.parametrize(
    ("recurrence", "first", "expected"),
    [
        ("daily", "2026-12-30T09:00", ["2026-12-31T09:00", "2027-01-01T09:00"]),
        ("weekdays", "2026-11-26T09:00", ["2026-11-27T09:00", "2026-11-30T09:00"]),
        ("weekdays", "2026-11-28T09:00", ["2026-11-30T09:00", "2026-12-01T09:00"]),
        ("weekly", "2026-12-28T09:00", ["2027-01-04T09:00", "2027-01-11T09:00"]),
        ("monthly", "2026-01-31T09:00", ["2026-02-28T09:00", "2026-03-31T09:00", "2026-04-30T09:00"]),
        (
            "yearly",
            "2028-02-29T09:00",
            ["2029-02-28T09:00", "2030-02-28T09:00", "2031-02-28T09:00", "2032-02-29T09:00"],
        ),
        # The clocks skip 02:30 on 2026-03-29, and show it twice on 2026-10-25.
        ("daily", "2026-03-28T02:30", ["2026-03-29T03:30", "2026-03-30T02:30"]),
        ("daily", "2026-10-24T02:30", ["2026-10-25T02:30", "2026-10-26T02:30"]),
        ("weekly", "2026-03-23T09:00", ["2026-03-30T09:00"]),
    ],
)
def test_occurrences(recurrence: str, first: str, expected: list[str]) -> None:
    assert due_times(recurrence, first, len(expected)) == expected


@pytest.mark.parametrize("recurrence", FollowUp.Recurrence.values)
def test_the_next_one_is_later_whenever_it_is_completed(recurrence: str) -> None:
    start = "2026-01-31T02:30"
    for month in range(1, 13):
        for hour in (0, 1, 2, 23):
            after = datetime(2031, month, 28, hour, 30, tzinfo=UTC)
            assert next_time(recurrence, start, after, BERLIN) > after


def titles(cast: Cast, **filters: Any) -> list[tuple[str, str]]:
    rows = cast.key.get(PATH, sortBy="dueAt", sortOrder="asc", filters=filters).data
    return [(row["status"], row["dueAt"][:10]) for row in rows]


def test_completing_creates_the_next_one_once(cast: Cast) -> None:
    with cast.scope():
        contact = ContactFactory().pk
    with time_machine.travel("2090-03-01T08:00:00Z", tick=False):
        made = new(cast, "contact", contact, dueAt="2090-03-09T09:00:00Z", recurrence="weekly", priority="high")
        done = put(cast, made["_id"], status="done")
        assert done["recurrence"] == "weekly"
        assert titles(cast) == [("done", "2090-03-09"), ("open", "2090-03-16")]
        assert titles(cast, status="open", contact=contact, priority="high") == [("open", "2090-03-16")]
        put(cast, made["_id"], status="done", notes="more")
        assert len(titles(cast)) == 2
        assert [kind for kind, _ in events(cast)] == [
            *("task.created", "task.completed", "task.created", "task.updated"),
        ]


def test_opening_it_again_takes_the_next_one_back(cast: Cast) -> None:
    made = new(cast, recurrence="daily")["_id"]
    put(cast, made, status="done")
    put(cast, made, status="open")
    assert [status for status, _ in titles(cast)] == ["open"]
    assert events(cast)[-1][0] == "task.deleted"
    put(cast, made, status="done")
    (following,) = [row for row in cast.key.get(PATH).data if row["_id"] != made]
    put(cast, following["_id"], title="Ask twice")
    put(cast, made, status="open")
    put(cast, made, status="done")
    assert len(titles(cast)) == 2, "one that somebody has changed stays, and there is no other"


def test_one_that_is_completed_late_skips_what_is_past(cast: Cast) -> None:
    with time_machine.travel("2090-03-01T08:00:00Z", tick=False):
        made = new(cast, dueAt="2090-03-02T09:00:00Z", recurrence="daily")["_id"]
    with time_machine.travel("2090-03-10T12:00:00Z", tick=False):
        put(cast, made, status="done")
        assert titles(cast, status="open") == [("open", "2090-03-11")]


def test_many_completed_at_once_have_a_next_one_each(cast: Cast) -> None:
    ids = [new(cast, recurrence="daily")["_id"] for _ in range(3)]
    once = new(cast)["_id"]
    assert cast.key.put(PATH, {"ids": [*ids, once], "status": "done"}).data["updatedCount"] == 4
    assert [status for status, _ in titles(cast)].count("open") == 3


def test_a_new_time_moves_the_later_ones(cast: Cast) -> None:
    made = new(cast, dueAt="2090-03-09T09:00:00Z", recurrence="weekly")["_id"]
    put(cast, made, dueAt="2090-03-10T09:00:00Z")
    put(cast, made, status="done")
    assert titles(cast, status="open") == [("open", "2090-03-17")]
    put(cast, made, recurrence=None)


@pytest.mark.django_db(transaction=True)
def test_two_who_complete_it_together_create_one(transactional_db: None) -> None:
    cast = make_cast()
    made = new(cast, recurrence="daily")["_id"]

    def complete(_: int) -> None:
        with cast.scope():
            update_task(id=made, actor_id=cast.owner.pk, values={"status": "done"})

    at_once(4, None, complete)
    assert sorted(status for status, _ in titles(cast)) == ["done", "open"]
