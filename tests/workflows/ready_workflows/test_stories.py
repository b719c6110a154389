"""Ready workflows run to the end of each of their branches by a clock of the test."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from accounts.notifications.models import Notification
from core.events import emit
from crm.models import FollowUp
from outreach.models import Suppression
from tests.workflows.helpers import contact, runs
from tests.workflows.ready_workflows.conftest import ENDS, READY, START, Story
from workflows.definitions.starters import templates


def test_the_welcome_series_sends_three_emails_over_eight_days(story: Story) -> None:
    story.install("mail-welcome-series")
    person = contact(story.cast)
    story.move()
    assert story.mails(person) == [f"Welcome to {story.cast.company.name}"]
    story.pass_time(days=2.9)
    assert len(story.mails(person)) == 1
    story.pass_time(days=0.2)
    assert len(story.mails(person)) == 2
    story.pass_time(days=5)
    assert story.done() in ENDS["mail-welcome-series"]
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
    assert story.done() == ENDS["mail-win-back"][0 if opens else 1]
    assert (story.run.status, len(story.mails(quiet))) == ("completed", 1 if opens else 2)
    story.pass_time(days=20)
    assert len(runs(story.cast, story.workflow)) == 1, "not twice within the cooldown"


@pytest.mark.parametrize(
    ("called", "status", "expected"),
    [
        (*case, end)
        for case, end in zip(
            [(1.0, "new"), (None, "won"), (3.0, "new"), (None, "new")], ENDS["mail-lead-not-called"], strict=True
        )
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
        body = {"lead": lead, "direction": "outbound", "outcome": "connected"}
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


@pytest.mark.parametrize(
    ("hours", "result", "expected"),
    [
        (*case, end)
        for case, end in zip(
            [(72, "held"), (72, "noShow"), (72, ""), (5, "held"), (0.5, "held"), (72, "cancelled")],
            ENDS["mail-meeting-reminder"],
            strict=True,
        )
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
    zip([1, 8, None], ENDS["mail-re-engagement"], strict=True),
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


@pytest.mark.parametrize("key", READY)
def test_the_ways_go_through_each_step_and_each_connection(key: str) -> None:
    """A step or a way that no test walks would break unseen: a new ready workflow needs its ways in ENDS."""
    template = templates()[key]
    walked = {f"{step.partition(':')[0]}-{step.partition(':')[2] or 'out'}" for end in ENDS[key] for step in end}
    steps_walked = {step.partition(":")[0] for end in ENDS[key] for step in end}
    assert steps_walked == {node["id"] for node in template["nodes"]} - {"trigger"}
    ways = {f"{edge['source']}-{edge['sourceHandle']}" for edge in template["edges"]} - {"trigger-out"}
    assert ways <= walked
