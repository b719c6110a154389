"""Recurring runs: recurring and intervalMs, POST /genie/:schedulerId/stop-recurring and resume-recurring."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from billing.models import Subscription
from core.jobs.registry import queue_work_by_name
from crm.models import ContactTag
from outreach.models import SendJob
from outreach.runs.genie.cadence import occurrences
from outreach.runs.genie.cadence.occurrences import slot_after
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, TagFactory
from tests.outreach.helpers import Post, planned, run_of, work

START = "/genie/from-contacts"
HOUR = 3_600_000
BEGAN = datetime(2026, 6, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("minutes", "following"), [(-90, 60), (0, 60), (59, 60), (60, 120), (61, 120), (725, 780)], ids=str
)
def test_the_schedule_goes_on_from_the_beginning_whatever_was_missed(minutes: int, following: int) -> None:
    found = slot_after(BEGAN, HOUR, BEGAN + timedelta(minutes=minutes))
    assert found == BEGAN + timedelta(minutes=following)


def test_an_interval_is_needed_and_no_shorter_than_a_minute(cast: Cast, post: Post) -> None:
    with cast.scope():
        body = {"contactIds": [ContactFactory().pk]}
    for interval in ({}, {"intervalMs": 59_999}):
        answer = cast.key.post(START, {**body, "recurring": True, **interval})
        assert (answer.status, answer.body["warning"].startswith("intervalMs: ")) == (400, True)
    once = cast.key.post(START, {**body, "intervalMs": 5}).data
    assert (once["recurring"], once["intervalMs"], once["nextOccurrenceAt"]) == (False, None, None)
    for action in ("stop", "resume"):
        assert cast.key.post(f"/genie/{once['_id']}/{action}-recurring").status == 400
        assert cast.key.post(f"/genie/{'0' * 24}/{action}-recurring").status == 404


def test_a_run_recurs_on_schedule_for_those_it_has_not_written_to(cast: Cast, post: Post) -> None:
    start = timezone.now().replace(microsecond=0)
    with time_machine.travel(start, tick=False) as clock:
        with cast.scope():
            tag = TagFactory()

        def join() -> str:
            with cast.scope():
                contact = ContactFactory(custom={})
                ContactTag.objects.create(contact=contact, tag=tag)
            return str(contact.pk)

        def go_on() -> int:
            """Do what is due, twice, as two workers would. Returns the number of the occurrence."""
            for kind in ("occurrences", "occurrences", "genie", "send"):
                work(kind)
            return run_of(cast, run).occurrence

        def written() -> list[str]:
            with cast.scope():
                found = SendJob.objects.filter(run_id=run).order_by("occurrence", "pk")
                return list(found.values_list("contact_id", flat=True))

        first = [join(), join()]
        run = cast.key.post(START, {"tags": [tag.pk], "recurring": True, "intervalMs": HOUR}).data["_id"]
        work("genie")
        work("send")
        clock.shift(timedelta(minutes=30))
        late = join()
        assert (go_on(), written()) == (1, first)
        clock.shift(timedelta(minutes=30))
        assert (go_on(), written()) == (2, [*first, late])
        shown = cast.key.get(f"/genie/{run}").data
        assert (shown["occurrence"], shown["phase"], shown["total"], shown["percent"]) == (2, "waiting", 3, 100.0)
        assert shown["nextOccurrenceAt"] == (start + timedelta(hours=2)).isoformat(timespec="milliseconds").replace(
            "+00:00", "Z"
        )

        # Set back, the clock fires nothing again; hours that were missed are one firing, and the schedule goes on.
        later = join()
        clock.move_to(start + timedelta(minutes=10))
        assert go_on() == 2
        clock.move_to(start + timedelta(hours=7, minutes=20))
        assert (go_on(), written()) == (3, [*first, late, later])
        assert run_of(cast, run).next_occurrence_at == start + timedelta(hours=8)
        clock.move_to(start + timedelta(hours=7, minutes=59))
        assert go_on() == 3

        for _ in range(2):
            stopped = cast.key.post(f"/genie/{run}/stop-recurring")
            assert (stopped.status, stopped.data["recurring"], stopped.data["phase"]) == (200, False, "completed")
        clock.move_to(start + timedelta(hours=9, minutes=30))
        assert go_on() == 3
        for _ in range(2):
            resumed = cast.key.post(f"/genie/{run}/resume-recurring").data
            assert (resumed["recurring"], resumed["nextOccurrenceAt"][11:16]) == (
                True,
                f"{start + timedelta(hours=10):%H:%M}",
            )
        clock.move_to(start + timedelta(hours=10))
        assert go_on() == 4
        assert len(written()) == 4
        cancelled = cast.key.post(f"/genie/{run}/cancel").data
        assert (cancelled["nextOccurrenceAt"], cast.key.post(f"/genie/{run}/resume-recurring").status) == (None, 400)
        clock.shift(timedelta(days=1))
        assert go_on() == 4
    assert len(post.server.received) == 4


def test_a_firing_that_is_killed_is_fired_again_once_and_waits_for_the_planning_before(
    cast: Cast, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = timezone.now()
    with time_machine.travel(start, tick=False) as clock:
        run = planned(cast, 1, recurring=True, intervalMs=60_000)
        clock.shift(timedelta(minutes=1))
        with monkeypatch.context() as patch:
            patch.setattr(occurrences, "begin_occurrence", lambda run: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                work("occurrences")
        assert run_of(cast, run).occurrence == 1
        work("occurrences")
        found = run_of(cast, run)
        assert (found.occurrence, found.status, found.planned_at) == (2, "queued", None)
        clock.shift(timedelta(minutes=1))
        assert not queue_work_by_name()["occurrences"].due()
        work("genie")
        work("occurrences")
        assert run_of(cast, run).occurrence == 3
        work("genie")
        with cast.scope():
            Subscription.objects.update(ends_at=timezone.now())
        clock.shift(timedelta(minutes=1))
        work("occurrences")
        found = run_of(cast, run)
        assert (found.occurrence, found.next_occurrence_at) == (3, found.created_at + timedelta(minutes=4))
