"""Templates that send emails: each is installed and runs to the end of each of its branches by a clock of the test."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from accounts.notifications.models import Notification
from core.access import Entitlement
from core.events import emit
from core.jobs import WORK
from crm.activities.models import LeadActivity
from crm.models import FollowUp
from outreach.messaging.delivery.settings.models import GenieSettings
from outreach.models import EmailTemplate, SendJob, Smtp, Suppression
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import SmtpFactory
from tests.kit.plans import allow
from tests.kit.rows import kept_for_module
from tests.workflows.helpers import contact, runs, steps, work
from workflows.definitions.starters import templates
from workflows.models import Workflow

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


def test_a_template_that_breaks_is_seen(cast: Cast) -> None:
    """The walk depends on what steps do: a broken setting is a problem of the workflow, which is then not published."""
    key = "mail-win-back"
    broken = [dict(node) for node in templates()[key]["nodes"]]
    broken[1] = {**broken[1], "data": {"label": "x", "config": {"template": "f" * 24}}}
    answer = cast.key.post("/workflow", {"template": key, "nodes": broken})
    assert "back" in {problem["nodeId"] for problem in answer.data["validation"]["errors"]}
    assert cast.key.post(f"/workflow/{answer.data['_id']}/publish").status == 400


def test_a_second_installation_has_names_of_its_own_and_a_repeated_one_is_the_first(cast: Cast) -> None:
    first = cast.key.post("/workflow/templates/mail-win-back/install", {"requestId": "a"}).data
    again = cast.key.post("/workflow/templates/mail-win-back/install", {"requestId": "a"}).data
    other = cast.key.post("/workflow/templates/mail-win-back/install", {"requestId": "b"}).data
    different = cast.key.post("/workflow/templates/mail-re-engagement/install", {"requestId": "a"}).data
    assert different["_id"] not in (first["_id"], other["_id"])
    assert (again["_id"], again["templates"]) == (first["_id"], first["templates"])
    assert (other["name"], [one["name"] for one in other["templates"]]) == (
        f"{first['name']} (2)",
        [f"{one['name']} (2)" for one in first["templates"]],
    )
    assert cast.key.delete(f"/workflow/{first['_id']}").status == 200
    with cast.scope():
        before = (Workflow.objects.count(), EmailTemplate.objects.count())
    for _ in range(2):
        third = cast.key.post("/workflow/templates/mail-win-back/install", {"requestId": "a"})
        assert (third.status, third.body["name"], "requestId" in third.body["warning"]) == (
            *(400, "InvalidInput_400"),
            True,
        )
    with cast.scope():
        assert (Workflow.objects.count(), EmailTemplate.objects.count()) == before
    assert cast.key.post("/workflow/templates/mail-win-back/install", {"requestId": "c"}).status == 201


def test_a_template_names_its_workflows_that_are_on(cast: Cast) -> None:
    key, name = "mail-win-back", templates()["mail-win-back"]["name"]
    with cast.scope():
        for number, (called, status, is_deleted) in enumerate(
            (
                (name, "published", False),
                (f"{name.upper()} (2)", "published", False),
                (f"{name} (3)", "paused", False),
                (f"{name} (4)", "published", True),
                (f"{name} of mine", "published", False),
            )
        ):
            Workflow.objects.create(id=f"{number:024x}", name=called, status=status, is_deleted=is_deleted)
    for caller in (cast.key, cast.session):
        assert caller.get(f"/workflow/templates/{key}").data["running"] == [
            {"_id": f"{0:024x}", "name": name},
            {"_id": f"{1:024x}", "name": f"{name.upper()} (2)"},
        ]
        assert caller.get("/workflow/templates/mail-re-engagement").data["running"] == []


def test_an_unknown_template_is_not_found(cast: Cast) -> None:
    for caller in (cast.key, cast.session):
        for answer in (
            caller.get("/workflow/templates/none"),
            caller.post("/workflow/templates/none/install", {}),
            caller.post("/workflow/templates/none/install", {"settings": {"sender": "x"}}),
        ):
            assert (answer.status, answer.body["name"]) == (404, "NotFound_404")
        assert caller.post("/workflow", {"template": "none"}).status == 400


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"colour": 1}, "settings.colour"),
        ({"quietDays": 0}, "settings.quietDays"),
        ({"quietDays": "many"}, "settings.quietDays"),
        ({"sender": "0" * 24}, "settings.sender"),
        ({"segment": "0" * 24}, "settings.segment"),
    ],
)
def test_settings_that_do_not_fit_are_refused_and_leave_nothing(cast: Cast, settings: Any, field: str) -> None:
    answer = cast.key.post("/workflow/templates/mail-win-back/install", {"settings": settings})
    assert (answer.status, answer.body["name"], field in answer.body["warning"]) == (400, "InvalidInput_400", True)
    with cast.scope():
        assert not EmailTemplate.objects.exists()
        assert not Workflow.objects.exists()


def test_a_date_of_another_kind_is_refused(cast: Cast) -> None:
    for field in ("name", "surprise"):
        answer = cast.key.post("/workflow/templates/mail-anniversary/install", {"settings": {"field": field}})
        assert (answer.status, "settings.field" in answer.body["warning"]) == (400, True)


def test_sunset_needs_opens_to_be_tracked(cast: Cast) -> None:
    with cast.scope():
        GenieSettings.objects.update(track_opens=False)
    path = "/workflow/templates/mail-re-engagement"
    assert cast.session.get(path).data["missing"] == ["opensOff"]
    answer = cast.session.post(f"{path}/install", {"publish": True})
    assert (answer.status, "opens" in answer.body["warning"]) == (400, True)
    with cast.scope():
        assert not Workflow.objects.exists()
    assert cast.session.post(f"{path}/install", {}).status == 201


def test_without_a_sender_the_detail_says_so_and_nothing_is_switched_on(cast: Cast) -> None:
    with cast.scope():
        Smtp.objects.all().delete()
    path = "/workflow/templates/mail-welcome-series"
    shown = cast.session.get(path).data
    assert shown["missing"] == ["senderMissing"]
    assert [one["name"] for one in shown["settings"]] == ["sender", "segment"]
    assert all("<" in one["html"] and "{{contact.firstName}}" in one["text"] for one in shown["emails"])
    assert cast.session.post(f"{path}/install", {"publish": True}).status == 400
    assert cast.session.post(f"{path}/install", {"publish": False}).status == 201


def test_an_installation_needs_the_permission_for_templates(db: None) -> None:
    cast = make_cast(permission={"workflow": {"GET": True, "POST": True}})
    answer = cast.narrow_session.post("/workflow/templates/mail-welcome-series/install", {})
    assert (answer.status, "template.POST" in answer.body["warning"]) == (403, True)
    assert cast.narrow_session.post("/workflow/templates/reply/install", {}).status == 201


def test_a_plan_without_room_leaves_nothing_half_made(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(monkeypatch, Entitlement(limits={"template": 2}))
    answer = cast.session.post("/workflow/templates/mail-welcome-series/install", {})
    assert (answer.status, answer.body["name"]) == (403, "PlanLimitExceeded_403")
    with cast.scope():
        assert (EmailTemplate.objects.count(), Workflow.objects.count()) == (0, 0)


@pytest.mark.parametrize("key", READY)
def test_each_is_tried_with_a_contact(cast: Cast, key: str) -> None:
    id = cast.session.post(f"/workflow/templates/{key}/install", {}).data["_id"]
    person = contact(cast)
    body: dict[str, Any] = {"subject": {"panel": "contact", "_id": person}}
    if key == "mail-lead-not-called":
        lead = cast.key.post("/lead", {"contact": person, "formData": {"status": "new"}}).data["_id"]
        body = {"subject": {"panel": "lead", "_id": lead}}
    if key == "mail-meeting-reminder":
        start = timezone.now() + timedelta(days=3)
        meeting = {"title": "Demo", "startsAt": start.isoformat(), "durationMinutes": 30, "contact": person}
        body = {"record": cast.key.post("/meeting", meeting).data["_id"]}
    tried = cast.session.post(f"/workflow/{id}/test", body).data
    assert (tried["status"], tried["problems"]) == ("completed", [])
    assert any(step["type"] == "mail" and step["effect"] for step in tried["steps"]) or key == "mail-lead-not-called"
