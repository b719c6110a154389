"""Templates that send emails: each is installed and runs to the end of each of its branches by a clock of the test."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from accounts.notifications.models import Notification
from core.jobs import WORK
from crm.activities.models import LeadActivity
from crm.models import FollowUp
from outreach.messaging.delivery.settings.models import GenieSettings
from outreach.models import EmailTemplate, SendJob, Suppression
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import SmtpFactory
from tests.kit.rows import kept_for_module
from tests.workflows.helpers import contact, runs, steps, work
from workflows.definitions.starters import templates
from workflows.models import RunStep

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
        from core.events import emit

        with self.cast.scope():
            job = SendJob.objects.filter(contact=person).order_by("-pk").first()
            id = job.pk if job is not None else person
            emit(kind, [id], payloads={id: {"contact": person, "lead": None, "subject": "Hi"}})
        self.move()

    def done(self) -> list[str]:
        """Return the steps of the only run, in their order, each with the way that it took."""
        [run] = runs(self.cast, self.workflow)
        self.run = run
        shown = []
        for name, status, handle in steps(self.cast, run):
            if status == "done" and name != "trigger":
                shown.append(name if handle == "out" else f"{name}:{handle}")
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


@pytest.mark.parametrize("key", READY)
def test_each_is_installed_with_its_emails_and_can_run(cast: Cast, key: str) -> None:
    answer = cast.key.post(f"/workflow/templates/{key}/install", {})
    assert answer.status == 201, answer.body
    template = templates()[key]
    assert answer.data["validation"] == {"errors": [], "warnings": []}
    assert answer.data["status"] == "unpublished"
    assert [one["name"] for one in answer.data["templates"]] == [
        f"{template['name']}: {email['name']}" for email in template["emails"]
    ]
    with cast.scope():
        ids = set(EmailTemplate.objects.values_list("pk", flat=True))
    named = {node["data"]["config"]["template"] for node in answer.data["nodes"] if node["type"] == "mail"}
    assert named == {one["_id"] for one in answer.data["templates"]} <= ids
    assert "@" not in str([node["data"].get("config") for node in answer.data["nodes"]])


def test_the_welcome_series_sends_three_emails_over_eight_days(story: Story) -> None:
    story.install("mail-welcome-series")
    person = contact(story.cast)
    story.move()
    assert story.mails(person) == ["Welcome to Acme"] or len(story.mails(person)) == 1
    story.pass_time(days=2.9)
    assert len(story.mails(person)) == 1
    story.pass_time(days=0.2)
    assert len(story.mails(person)) == 2
    story.pass_time(days=5)
    assert story.done() == ["welcome", "first", "help", "second", "talk"]
    assert (story.run.status, len(story.mails(person))) == ("completed", 3)


@pytest.mark.parametrize(
    ("kind", "status"),
    [("mail.replied", ("completed", "goal")), ("contact.unsubscribed", ("cancelled", "exit"))],
)
def test_the_welcome_series_stops(story: Story, kind: str, status: tuple[str, str]) -> None:
    story.install("mail-welcome-series")
    person = contact(story.cast)
    story.move()
    if kind == "mail.replied":
        story.tell(kind, person)
    else:
        from core.events import emit

        with story.cast.scope():
            emit(kind, [person])
        story.move()
    [run] = runs(story.cast, story.workflow)
    assert (run.status, run.reason) == status
    story.pass_time(days=10)
    assert len(story.mails(person)) == 1


@pytest.mark.parametrize(
    ("born", "days"),
    [
        ("1990-03-04", ["2027-03-04", "2028-03-04"]),
        ("1988-02-29", ["2028-02-29", "2029-02-28"]),
    ],
)
def test_birthdays_come_each_year_at_nine(story: Story, born: str, days: list[str]) -> None:
    made = story.cast.key.post("/custom-field", {"name": "Birthday", "fieldType": "date", "panel": "contact"})
    key = made.data["uniqueFieldID"]
    shown = story.cast.key.get("/workflow/templates/mail-anniversary").data
    assert {one["name"]: one["default"] for one in shown["settings"]}["field"] == key
    person = contact(story.cast, **{key: born})
    contact(story.cast, email="other@example.org", number="1512345670", **{key: "1990-06-01"})
    story.install("mail-anniversary")
    for day in days:
        morning = datetime.fromisoformat(f"{day}T00:00:00+00:00")
        story.clock.move_to(morning + timedelta(hours=7))
        story.move()
        before = len(story.mails(person))
        story.clock.move_to(morning + timedelta(hours=9, minutes=30))
        story.move()
        assert len(story.mails(person)) == before + 1
    assert {run.contact_id for run in runs(story.cast, story.workflow)} >= {person}


@pytest.mark.parametrize("opens", [True, False])
def test_quiet_contacts_are_won_back(story: Story, opens: bool) -> None:
    quiet = contact(story.cast)
    active = contact(story.cast, email="active@example.org", number="1512345670")
    story.clock.move_to(START + timedelta(days=100))
    story.activity(active, 5)
    story.install("mail-win-back", quietDays=60)
    story.pass_time(days=1.1)
    assert (len(story.mails(quiet)), story.mails(active)) == (1, [])
    if opens:
        story.activity(quiet, 0)
    story.pass_time(days=7.1)
    expected = ["opened:true", "tell"] if opens else ["opened:false", "last"]
    assert story.done() == ["back", "week", *expected]
    assert (story.run.status, len(story.mails(quiet))) == ("completed", 1 if opens else 2)
    story.pass_time(days=20)
    assert len(runs(story.cast, story.workflow)) == 1, "not twice within the cooldown"


@pytest.mark.parametrize(
    ("called", "status", "expected"),
    [
        (1.0, "new", ["call:event"]),
        (None, "won", ["call:timeout", "open:false"]),
        (3.0, "new", ["call:timeout", "open:true", "task", "tell", "again:event"]),
        (None, "new", ["call:timeout", "open:true", "task", "tell", "again:timeout", "ask"]),
    ],
)
def test_a_lead_that_nobody_calls_becomes_a_task(
    story: Story, called: float | None, status: str, expected: list[str]
) -> None:
    story.install("mail-lead-not-called")
    person = contact(story.cast)
    lead = story.cast.key.post("/lead", {"contact": person, "formData": {"status": "new"}}).data["_id"]
    story.move()
    if status == "won":
        assert story.cast.key.put(f"/lead/{lead}", {"formData": {"status": "won"}}).status == 200
    if called is not None:
        story.pass_time(days=called)
        body = {"formData": [{"lead": lead, "direction": "outbound", "outcome": "connected"}]}
        answer = story.cast.key.post("/calllog", body)
        assert answer.status in (200, 201), answer.body
        story.move()
    story.pass_time(days=5 - (called or 0))
    assert story.done() == expected
    assert story.run.status == "completed"
    with story.cast.scope():
        tasks = list(FollowUp.objects.values_list("title", "lead"))
        told = Notification.objects.filter(kind="workflow.notice").count()
    assert (tasks, told) == (([("Call Ann Example", lead)], 1) if "task" in expected else ([], 0))
    assert len(story.mails(person)) == ("ask" in expected)


LONG = ["day", "remind", "hour", "soon", "over"]


@pytest.mark.parametrize(
    ("hours", "result", "expected"),
    [
        (72, "held", [*LONG, "result:held", "thanks"]),
        (72, "noShow", [*LONG, "result:noShow", "missed", "tell"]),
        (72, "", [*LONG, "result:timeout"]),
        (5, "held", ["day:late", "hour", "soon", "over", "result:held", "thanks"]),
        (0.5, "held", ["day:late", "hour:late", "over", "result:held", "thanks"]),
        (72, "cancelled", ["day:cancelled"]),
    ],
)
def test_a_meeting_is_reminded_of_and_followed_up(story: Story, hours: float, result: str, expected: list[str]) -> None:
    story.install("mail-meeting-reminder")
    person = contact(story.cast)
    start = timezone.now() + timedelta(hours=hours)
    body = {"title": "Demo", "startsAt": start.isoformat(), "durationMinutes": 30, "contact": person}
    meeting = story.cast.key.post("/meeting", body).data["_id"]
    story.move()
    if result == "cancelled":
        story.cast.key.delete("/meeting", {"ids": [meeting]})
    for hour in (max(hours - 24, 0) + 0.1, max(hours - 1, 0) + 0.1, hours + 1):
        story.clock.move_to(max(timezone.now(), START + timedelta(hours=hour)))
        story.move()
    if result in ("held", "noShow"):
        answer = story.cast.key.put(f"/meeting/{meeting}", {"result": result})
        assert answer.status == 200, answer.body
        story.move()
    story.pass_time(days=3)
    assert story.done() == expected
    assert (story.run.status, len(story.mails(person))) == (
        "completed",
        sum(name in expected for name in ("remind", "soon", "thanks", "missed")),
    )


@pytest.mark.parametrize(
    ("opened", "expected"),
    [
        (1, ["first", "opened:event"]),
        (8, ["first", "opened:timeout", "last", "again:event"]),
        (None, ["first", "opened:timeout", "last", "again:timeout", "sunset"]),
    ],
)
def test_who_opens_no_email_gets_two_more_and_then_none(story: Story, opened: int | None, expected: list[str]) -> None:
    silent = contact(story.cast)
    reader = contact(story.cast, email="reader@example.org", number="1512345670")
    fresh = contact(story.cast, email="fresh@example.org", number="1512345671")
    story.clock.move_to(START + timedelta(days=200))
    for person in (silent, reader):
        story.activity(person, 20, event="sent")
    story.activity(reader, 30)
    story.install("mail-re-engagement", unopenedDays=90)
    story.pass_time(days=1.2)
    if opened is not None:
        story.pass_time(days=opened)
        story.tell("mail.opened", silent)
    story.pass_time(days=16)
    assert story.done() == expected
    assert story.run.status == "completed"
    assert (story.mails(reader), story.mails(fresh)) == ([], [])
    with story.cast.scope():
        listed = list(Suppression.objects.values_list("email", "source"))
    assert listed == ([("ann@example.org", "Sunset: no email opened")] if opened is None else [])


def test_every_ready_template_has_a_story() -> None:
    """A template that sends emails of its own is walked to each of its ends above."""
    import inspect
    import sys

    told = inspect.getsource(sys.modules[__name__])
    assert [key for key in READY if f'install("{key}"' not in told] == []
    assert len(READY) >= 6


def test_a_step_that_breaks_fails_the_story(cast: Cast) -> None:
    """The walk sees what a run does: a broken setting of a template is a problem of its workflow."""
    key = "mail-win-back"
    broken = [dict(node) for node in templates()[key]["nodes"]]
    broken[1] = {**broken[1], "data": {"label": "x", "config": {"template": "0" * 24}}}
    answer = cast.key.post("/workflow", {"template": key, "nodes": broken})
    assert [one["code"] for one in answer.data["validation"]["errors"]][:1] == ["templateMissing"]
    with cast.scope():
        assert RunStep.objects.count() == 0
