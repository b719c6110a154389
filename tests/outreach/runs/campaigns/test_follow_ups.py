"""Follow-ups of campaigns: planned after the message before, in its thread, told apart in the numbers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from crm.models import Contact
from outreach.models import Campaign, EmailTemplate, SendJob, Smtp
from outreach.runs.campaigns.services import duplicate_campaign
from tests.kit.cast import Cast, make_cast
from tests.kit.threads import at_once
from tests.outreach.helpers import work
from tests.outreach.runs.campaigns.helpers import TEXT, begun, followed, jobs, made, went

DAYS = {"amount": 3, "unit": "days"}
SEEN, BYE = "Dear {{contact.firstName}}, have you seen it?", {"subject": "Last call", "body": "Bye"}
STEPS = [{"delay": DAYS, "body": SEEN}, {"delay": DAYS, **BYE}]


def _sent(cast: Cast, id: str) -> None:
    """Let what is approved be sent, as the sending worker does."""
    with cast.scope():
        rows = SendJob.objects.filter(run__of_campaign=id, status="approved", next_delay__isnull=False)
        rows.update(next_step_at=timezone.now() + timedelta(days=3))
    went(cast, id)


def _follow(cast: Cast, id: str) -> None:
    """Let the time of the next step come, and plan it."""
    with cast.scope():
        SendJob.objects.filter(run__of_campaign=id, next_step_at__isnull=False).update(next_step_at=timezone.now())
    work("follow-ups")
    work("genie")


def test_follow_ups_go_to_those_who_have_not_answered(cast: Cast, people: dict[str, Any]) -> None:
    window = {"days": [1], "start": "09:00", "end": "17:00"}
    id = begun(cast, people, **TEXT, window=window, outreachCadence={"steps": STEPS})
    first = jobs(cast, id)
    assert [one.next_delay for one in first] == [DAYS] * 10
    _sent(cast, id)
    with cast.scope():
        ids = [one.contact_id for one in first]
        Contact.objects.filter(pk=ids[0]).update(replied_at=timezone.now() + timedelta(seconds=1))
        Contact.objects.filter(pk=ids[1]).update(unsubscribed_at=timezone.now() + timedelta(seconds=1))
        for job, reason in ((first[2], "came_back"), (first[3], "rejected")):
            SendJob.objects.filter(pk=job.pk).update(status="failed", reason=reason, next_step_at=None)
    _follow(cast, id)
    second = [one for one in jobs(cast, id) if one.step == 2]
    assert sorted((one.status, one.reason) for one in second) == [
        *[("approved", "")] * 6,
        ("cancelled", "reply_received"),
        ("suppressed", "unsubscribed"),
    ]
    going = [one for one in second if one.status == "approved"]
    assert {one.window["start"] for one in going if one.window} == {"09:00"}
    assert all(one.subject.startswith("Re: Hello Ann") for one in going)
    assert all(one.text.startswith("Dear Ann") and one.text.endswith("have you seen it?") for one in going)
    _sent(cast, id)
    followed()
    assert cast.key.get(f"/campaign/{id}").data["status"] == "running"  # a further step comes
    with cast.scope():
        Contact.objects.filter(pk=going[0].contact_id).update(replied_at=timezone.now() + timedelta(seconds=1))
    _follow(cast, id)
    third = [one for one in jobs(cast, id) if one.step == 3 and one.status == "approved"]
    assert ({one.subject for one in third}, len(third)) == ({"Last call"}, 5)
    _sent(cast, id)
    followed()
    shown = cast.session.get(f"/campaign/{id}").data
    assert shown["status"] == "completed"
    numbers = {
        one["step"]: (one["planned"], one["sent"], one["replied"], one["unsubscribed"], one["bounced"], one["notSent"])
        for one in shown["stepResults"]
    }
    # What a server refused for good came back, and counts no second time as not sent.
    assert numbers == {1: (10, 8, 1, 1, 2, 0), 2: (8, 6, 1, 0, 0, 2), 3: (6, 5, 0, 0, 0, 1)}
    assert (shown["funnel"]["planned"], shown["funnel"]["replied"], shown["funnel"]["bounced"]) == (24, 2, 2)


def test_a_preview_shows_subject_and_footer_of_a_follow_up(cast: Cast, people: dict[str, Any]) -> None:
    id = made(cast, people, **TEXT, outreachCadence={"steps": STEPS})
    subjects = [cast.key.get(f"/campaign/{id}/preview?step={step}").data["subject"] for step in (1, 2, 3)]
    assert subjects[0]
    assert subjects[1:] == [f"Re: {subjects[0]}", "Last call"]
    for step in (1, 2, 3):
        shown = cast.key.get(f"/campaign/{id}/preview?step={step}").data
        assert all("Unsubscribe from these messages (a sample: " in shown[part] for part in ("text", "html")), step
        assert shown["html"].count("/api/public/unsubscribe/sample") == 1
        assert shown["text"].count("/api/public/unsubscribe/sample") == 1


def test_words_of_templates_are_those_of_the_beginning(cast: Cast, people: dict[str, Any]) -> None:
    with cast.scope():
        template = EmailTemplate.objects.create(name="Later", subject="Once more", body="Hi", html="", text="Hi")
    id = made(cast, people, **TEXT, outreachCadence={"steps": [{"delay": DAYS, "template": template.pk}]})
    shown = cast.key.get(f"/campaign/{id}").data["outreachCadence"]
    assert cast.key.put(f"/campaign/{id}", {"outreachCadence": shown}).data["outreachCadence"] == shown
    with cast.scope():
        EmailTemplate.objects.update(text="Hello again")
    copy = cast.key.post(f"/campaign/{id}/duplicate").data
    assert copy["outreachCadence"] == shown
    assert cast.key.post(f"/campaign/{id}/start").status == 200
    work("genie")
    with cast.scope():
        EmailTemplate.objects.all().delete()
    _sent(cast, id)
    _follow(cast, id)
    assert {(one.subject, one.text) for one in jobs(cast, id) if one.step == 2} == {("Once more", "Hello again")}
    gone = cast.key.post(f"/campaign/{copy['_id']}/start")
    assert (gone.status, "outreachCadence.steps[0].template:" in gone.body["warning"]) == (404, True)


@pytest.mark.parametrize(
    ("step", "named"),
    [
        ({"delay": DAYS}, "steps[0].body"),
        ({"delay": DAYS, "prompt": "Write"}, "steps[0].prompt: unknown key"),
        ({"delay": DAYS, "body": "{{Nothing}}"}, "steps[0].body"),
        ({"delay": DAYS, "body": "x", "template": "0" * 24}, "steps[0].template"),
        ({"delay": DAYS, "template": "0" * 24}, "steps[0].template:"),
        ({"body": "x"}, "steps[0].delay"),
        ({"delay": DAYS, "body": ["x"]}, "steps[0].body"),
    ],
)
def test_follow_ups_that_cannot_be(cast: Cast, people: dict[str, Any], step: Any, named: str) -> None:
    answer = cast.key.post("/campaign", {"name": "X", **people, **TEXT, "outreachCadence": {"steps": [step]}})
    assert answer.status in (400, 404)
    assert named in answer.body["warning"]


@pytest.mark.django_db(transaction=True)
def test_copies_at_the_same_moment_get_names_of_their_own(owner: Cast) -> None:
    with owner.scope():
        source = Campaign.objects.create(name="Open day", audience={})
    made_by = owner.owner.pk
    names = at_once(4, owner.company.pk, lambda _: duplicate_campaign(id=source.pk, member_id=made_by).name)
    assert sorted(names) == ["Open day (copy 2)", "Open day (copy 3)", "Open day (copy 4)", "Open day (copy)"]


@pytest.fixture
def owner(transactional_db: None) -> Cast:
    """A cast whose rows are committed."""
    return make_cast()


def test_what_has_no_sender_or_variant_is_told_by_its_name(cast: Cast, people: dict[str, Any]) -> None:
    trial = {"to": [cast.owner.user.email], "subject": "Hi", "body": "Hi"}
    none = cast.key.post("/campaign/test/mailvendor-b", trial)
    assert (none.status, none.body["message"]) == (400, "No email sender works yet. Connect or select a sender.")
    two = {"contactIds": [], "prompt": "x", "smtp": people["smtp"], "mailApp": "0" * 24}
    refused = cast.key.post("/genie/from-contacts", two)
    assert (refused.status, refused.body["warning"]) == (400, "smtp, mailApp: choose one sender")
    winner = cast.key.post(f"/campaign/{made(cast, people, **TEXT)}/winner", {"variant": "A"})
    assert (winner.status, winner.body["warning"]) == (400, "variant: the campaign has no variants to choose from")
    with cast.scope():
        Smtp.objects.update(stopped_at=timezone.now())
    [choice] = cast.key.get("/campaign/choices").data["senders"]
    assert choice["stoppedAt"] is not None
