"""A company with ready workflows, and the story of one person by a clock of the test."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from core.events import emit
from core.jobs import WORK
from crm.activities.models import LeadActivity
from outreach.messaging.delivery.settings.models import GenieSettings
from outreach.models import SendJob
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import SmtpFactory
from tests.kit.rows import kept_for_module
from tests.workflows.helpers import runs, steps, work
from workflows.definitions.starters import templates

READY = [key for key, template in templates().items() if template.get("emails")]
START = datetime(2027, 3, 1, 8, tzinfo=UTC)


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        cast = make_cast()
        with cast.scope():
            SmtpFactory(verified=True)
            GenieSettings.objects.update_or_create(defaults={"track_opens": True})
        yield cast


@pytest.fixture
def cast(house: Cast, db: None) -> Cast:
    return house


@pytest.fixture
def clock() -> Iterator[Any]:
    with time_machine.travel(START, tick=False) as traveller:
        yield traveller


def install(cast: Cast, key: str, **settings: Any) -> str:
    answer = cast.key.post(f"/workflow/templates/{key}/install", {"settings": settings, "publish": True})
    assert (answer.status, answer.data["status"]) == (201, "published"), answer.body
    return str(answer.data["_id"])


LONG = ["day", "remind", "hour", "soon", "over"]
SERIES = ["welcome", "first", "help", "second", "talk"]
ENDS: dict[str, list[list[str]]] = {
    "mail-welcome-series": [SERIES],
    "mail-anniversary": [["wishes"]],
    "mail-win-back": [["back", "week", "opened:true", "tell"], ["back", "week", "opened:false", "last"]],
    "mail-lead-not-called": [
        ["call:event"],
        ["call:timeout", "open:false"],
        ["call:timeout", "open:true", "task", "tell", "again:event"],
        ["call:timeout", "open:true", "task", "tell", "again:timeout", "ask"],
    ],
    "mail-meeting-reminder": [
        [*LONG, "result:held", "thanks"],
        [*LONG, "result:noShow", "missed", "tell"],
        [*LONG, "result:timeout"],
        ["day:late", "hour", "soon", "over", "result:held", "thanks"],
        ["day:late", "hour:late", "over", "result:held", "thanks"],
        ["day:cancelled"],
    ],
    "mail-re-engagement": [
        ["first", "opened:event"],
        ["first", "opened:timeout", "last", "again:event"],
        ["first", "opened:timeout", "last", "again:timeout", "sunset"],
    ],
}
"""Key -> the ways through each ready workflow, as the tests below walk them."""


class Story:
    """A template's run in a company: the days that pass, and what people do."""

    def __init__(self, cast: Cast, clock: Any) -> None:
        self.cast = cast
        self.clock = clock
        self.workflow = ""

    def install(self, key: str, **settings: Any) -> None:
        self.workflow = install(self.cast, key, **settings)

    def pass_time(self, days: float = 0, hours: float = 0) -> None:
        """Go on in steps of a day, so that schedules and waits come in their order."""
        end = timezone.now() + timedelta(days=days, hours=hours)
        while timezone.now() < end:
            self.clock.move_to(min(end, timezone.now() + timedelta(days=1)))
            self.move()

    def move(self) -> None:
        WORK["workflow-schedules"].drain(float("inf"))
        work()

    def tell(self, kind: str, person: str) -> None:
        """Let an event of an email of the contact happen."""
        with self.cast.scope():
            job = SendJob.objects.filter(contact=person).order_by("-pk").first()
            id = job.pk if job is not None else person
            emit(kind, [id], payloads={id: {"contact": person, "lead": None, "subject": "Hi"}})
        self.move()

    def done(self) -> list[str]:
        """Return the steps of the only run, in their order, each with the way that it took."""
        [run] = runs(self.cast, self.workflow)
        self.run = run
        visits = steps(self.cast, run)[1:]
        ended = {name for name, status, _ in visits if status == "done"}
        shown = []
        for name, status, handle in visits:
            # A wait for a time alone has one step, which waits.
            if status == "done" or (status == "waiting" and name not in ended):
                shown.append(name if handle in ("out", "") else f"{name}:{handle}")
        return shown

    def mails(self, person: str) -> list[str]:
        with self.cast.scope():
            return list(
                SendJob.objects.filter(contact=person).order_by("created_at", "pk").values_list("subject", flat=True)
            )

    def activity(self, person: str, days: int, kind: str = "mail", event: str = "opened") -> None:
        with self.cast.scope():
            LeadActivity.objects.create(
                contact_id=person,
                kind=kind,
                details={"event": event},
                happened_at=timezone.now() - timedelta(days=days),
            )


@pytest.fixture
def story(cast: Cast, clock: Any) -> Story:
    return Story(cast, clock)
