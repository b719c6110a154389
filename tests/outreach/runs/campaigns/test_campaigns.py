"""/campaign: from a draft to its messages, with pauses, pace, times and people who join later."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import time_machine
from django.utils import timezone

from core.models import Event
from crm.models import Contact, ContactTag
from outreach.messaging.delivery.selectors import decision_of
from outreach.messaging.delivery.sending.claims import claim
from outreach.models import Campaign, EmailTemplate, GenieScheduler, SendJob, Smtp
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.outreach.helpers import work
from tests.outreach.runs.campaigns.helpers import AB, HTML, SOON, TEXT, begun, followed, jobs, made, went


def test_a_template_reaches_everybody_once_and_the_campaign_comes_to_its_end(
    cast: Cast, people: dict[str, Any]
) -> None:
    with cast.scope():
        template = EmailTemplate.objects.create(
            name="Open day", subject="For {{contact.name}}", body=HTML, html=HTML, text="Dear {{contact.firstName}}"
        )
    id = begun(cast, people, templateId=template.pk, window={"days": [1], "start": "09:00", "end": "17:00"})
    with cast.scope():
        EmailTemplate.objects.all().delete()  # it began with the words that the template had
        kinds = list(Event.objects.filter(object_id=id).order_by("id").values_list("kind", flat=True))
    assert kinds == ["campaign.created", "campaign.started"]
    found = jobs(cast, id)
    assert {(one.status, one.variant, one.reason) for one in found} == {("approved", 0, "")}
    assert sorted(one.subject for one in found)[0] == "For Ann0 Example"
    assert all("<p>Dear Ann" in one.html and one.window and one.run.campaign for one in found)
    again = cast.key.post(f"/campaign/{id}/start")
    assert (again.status, again.body["warning"]) == (400, "status: the campaign is running; it begins once")
    assert cast.key.get("/genie").data == []
    assert cast.key.get(f"/genie/{found[0].run_id}").status == 404
    assert cast.key.get(f"/genie/send-jobs/{found[0].pk}").data["campaign"] == {"_id": id, "name": "Open day"}
    went(cast, id)
    with cast.scope():
        one, other = Contact.objects.filter(pk__in=[job.contact_id for job in found]).order_by("pk")[:2]
        Contact.objects.filter(pk=one.pk).update(replied_at=timezone.now())
        Contact.objects.filter(pk=other.pk).update(unsubscribed_at=timezone.now())
    followed()
    shown = cast.session.get(f"/campaign/{id}").data
    assert (shown["status"], shown["templateId"], shown["sent"], shown["replied"]) == ("completed", None, 10, 1)
    assert shown["funnel"] == {
        "audience": 10,
        "planned": 10,
        "sent": 10,
        "delivered": None,
        "opened": None,
        "clicked": None,
        "replied": 1,
        "unsubscribed": 1,
        "bounced": 0,
        "notSent": 0,
        "converted": 0,
    }
    assert shown["variantResults"] == []
    with cast.scope():
        assert Event.objects.filter(kind="campaign.completed", object_id=id).count() == 1
    assert cast.key.put(f"/campaign/{id}", {"name": "Other"}).status == 400
    copy = cast.key.post(f"/campaign/{id}/duplicate").data
    assert (copy["name"], copy["status"], copy["tags"]) == ("Open day (copy)", "draft", people["tags"])
    assert cast.key.post(f"/campaign/{id}/duplicate").data["name"] == "Open day (copy 2)"
    listed = cast.session.get("/campaign?searchValue=copy&sortBy=name&sortOrder=asc")
    assert sorted(one["name"] for one in listed.data) == ["Open day (copy 2)", "Open day (copy)"]
    assert cast.key.delete("/campaign", {"ids": [id, copy["_id"]]}).data == {"deletedCount": 2}
    none = cast.key.delete("/campaign", {"ids": [id]})
    assert (none.status, none.body["message"]) == (400, "Select at least one campaign.")


def test_a_pause_holds_all_of_it_until_it_is_resumed(cast: Cast, people: dict[str, Any]) -> None:
    id = begun(cast, people, **TEXT)
    assert cast.key.post(f"/campaign/{id}/pause").data["status"] == "paused"
    assert cast.key.post(f"/campaign/{id}/pause").status == 200
    with cast.scope():
        assert claim(people["smtp"]).jobs == []
        assert claim(people["smtp"]).examined == 0
    shown = cast.key.get(f"/campaign/{id}").data
    assert (shown["nextDecision"]["reason"], shown["reasons"][0]["count"]) == ("run_paused", 10)
    fixed = cast.key.put(f"/campaign/{id}", {"name": "New", "subject": "New", "intervalMs": 60_000})
    assert fixed.status == 400
    assert fixed.body["warning"].startswith("subject, intervalMs: cannot change")
    assert cast.key.put(f"/campaign/{id}", {"name": "New name", "throttle": 4}).data["name"] == "New name"
    under_way = cast.key.delete("/campaign", {"ids": [id]})
    assert (under_way.status, under_way.body["warning"]) == (400, "ids: New name: under way; cancel it first")
    assert cast.session.post(f"/campaign/{id}/resume").data["status"] == "running"
    with cast.scope():
        first = claim(people["smtp"])
        assert (len(first.jobs), first.examined) == (4, 10)  # the pace of the campaign, not of its sender
        assert claim(people["smtp"]).jobs == []
        SendJob.objects.filter(status="claimed").update(
            status="sent", sent_at=timezone.now(), sending_at=timezone.now()
        )
    waits = [one for one in jobs(cast, id) if one.status == "approved"]
    assert {one.reason for one in waits} == {"limit_campaign"}
    assert len({one.due_at for one in waits}) == len(waits)
    with cast.scope():
        SendJob.objects.filter(status="approved").update(due_at=timezone.now())
        assert claim(people["smtp"]).jobs == []
        assert (decision_of(waits[0]) or {})["reason"] in ("limit_campaign", "scheduled_for_later")
    with time_machine.travel(timezone.now() + timedelta(hours=1, minutes=1), tick=False), cast.scope():
        assert len(claim(people["smtp"]).jobs) == 1  # those behind it come due one after the other
    cast.key.post(f"/campaign/{id}/pause")
    assert cast.key.put(f"/campaign/{id}", {"throttle": 400}).data["throttle"] == 400
    cast.key.post(f"/campaign/{id}/resume")
    with cast.scope():  # what waited for the old pace goes now
        assert len(claim(people["smtp"]).jobs) == 5
    cancelled = cast.key.post(f"/campaign/{id}/cancel").data
    assert (cancelled["status"], cancelled["counts"]["cancelled"]) == ("cancelled", cancelled["cancelledCount"])
    assert cast.key.post(f"/campaign/{id}/resume").status == 400


def test_a_scheduled_campaign_begins_at_its_time_or_says_why_not(cast: Cast, people: dict[str, Any]) -> None:
    at = timezone.now() + timedelta(hours=3)
    good = made(cast, people, name="Good", scheduledAt=at.isoformat(), **TEXT)
    bad = made(cast, people, name="Bad", scheduledAt=at.isoformat(), **TEXT)
    for id in (good, bad, good):
        assert cast.key.post(f"/campaign/{id}/start").data["status"] == "scheduled"
    unfit = cast.key.put(f"/campaign/{good}", {"tags": []})
    assert (unfit.status, unfit.body["message"]) == (400, "Choose an audience for the campaign.")
    work("campaigns")
    assert cast.key.get(f"/campaign/{good}").data["status"] == "scheduled"
    with cast.scope():
        Campaign.objects.filter(pk=bad).update(smtp=None)
    with time_machine.travel(at + timedelta(seconds=1), tick=False):
        work("campaigns")
        work("campaigns")
        failed = cast.key.get(f"/campaign/{bad}").data
        assert (failed["status"], failed["error"]) == ("failed", "smtp: choose a sender")
        assert cast.key.get(f"/campaign/{good}").data["status"] == "running"
    with cast.scope():
        assert GenieScheduler.objects.filter(of_campaign__isnull=False).count() == 1
        Campaign.objects.filter(pk=bad).update(failures=5)
    assert cast.key.put(f"/campaign/{bad}", {"smtp": people["smtp"]}).data["status"] == "draft"
    many = cast.key.post(f"/campaign/{bad}/start")
    assert (many.status, many.body["message"]) == (400, "The campaign has failed too often. Check its sender.")


def test_a_live_audience_takes_in_who_joins_until_its_end(cast: Cast, people: dict[str, Any]) -> None:
    end = timezone.now() + timedelta(days=3)
    id = begun(cast, people, audience="live", endsAt=end.isoformat(), **TEXT)
    with cast.scope():
        ContactTag.objects.create(contact=ContactFactory(name="Late", custom={}), tag_id=people["tags"][0])
    for minutes, number in ((11, 11), (22, 11)):
        with time_machine.travel(timezone.now() + timedelta(minutes=minutes), tick=False):
            work("occurrences")
            work("genie")
            assert len(jobs(cast, id)) == number
    with time_machine.travel(end + timedelta(minutes=1), tick=False):
        followed()
    with cast.scope():
        run = GenieScheduler.objects.get(of_campaign=id)
        assert (run.recurring, run.next_occurrence_at) == (False, None)
        assert not Event.objects.filter(kind="genie.recurred").exists()


def test_a_recurring_campaign_writes_to_all_again_where_it_is_asked_to(cast: Cast, people: dict[str, Any]) -> None:
    once = begun(cast, people, name="Once", recurring=True, intervalMs=3_600_000, **TEXT)
    again = begun(cast, people, name="Again", recurring=True, intervalMs=3_600_000, writeAgain=True, **TEXT)
    with time_machine.travel(timezone.now() + timedelta(minutes=61), tick=False):
        work("occurrences")
        work("genie")
    assert (len(jobs(cast, once)), len(jobs(cast, again))) == (10, 20)


def test_a_manual_campaign_waits_for_a_member(cast: Cast, people: dict[str, Any]) -> None:
    id = begun(cast, people, manual=True, **TEXT)
    listed = cast.session.get(f"/campaign/{id}/messages?sortBy=createdAt")
    assert (listed.status, len(listed.data), listed.data[0]["status"]) == (200, 10, "draft")
    some = [one["_id"] for one in listed.data[:2]]
    assert cast.key.post(f"/campaign/{id}/release", {"ids": some}).data["changedCount"] == 2
    assert cast.key.post(f"/campaign/{id}/release", {"ids": some}).data["changedCount"] == 0
    assert cast.key.post(f"/campaign/{id}/release", {}).data["changedCount"] == 8
    other = made(cast, people, name="Automatic", **TEXT)
    answer = cast.key.post(f"/campaign/{other}/release", {})
    assert (answer.status, answer.body["message"]) == (404, "This is no manual campaign.")


def test_drafts_whose_approval_is_outdated_are_released_together(cast: Cast, people: dict[str, Any]) -> None:
    id = begun(cast, people, **TEXT)
    with cast.scope():
        waiting = SendJob.objects.filter(run__of_campaign=id, status="approved")
        count = waiting.count()
        waiting.update(status="draft", reason="approval_outdated")
    assert count > 2
    assert cast.key.post(f"/campaign/{id}/release", {}).data["changedCount"] == count


def test_bad_input_names_its_field(cast: Cast, people: dict[str, Any], other_vendor: str) -> None:
    made(cast, people, **TEXT)
    missing = "0" * 24
    late = (timezone.now() - timedelta(days=1)).isoformat()
    for values, message, warning in (
        ({"name": "OPEN day"}, "A campaign with this name already exists.", "name: "),
        ({"type": "pigeon"}, "Choose one of the campaign types.", "type: choose one of"),
        ({"smtp": missing}, "This email sender is not available in your company.", "smtp: "),
        ({"type": "mailvendor-a", "smtp": None, "mailApp": missing}, "Email sender not found.", "mailApp: "),
        ({"type": "mailvendor-a"}, "Validation error: smtp: the campaign's type is mailvendor-a", "mailApp: "),
        ({"type": "mailvendor-b", "smtp": None, "mailApp": other_vendor}, "Email sender not found.", "mailApp: "),
        ({"templateId": missing, **TEXT}, "Validation error: subject, body: not beside templateId", "subject, body"),
        ({"templateId": missing}, "Email template not found.", "templateId: "),
        (
            {"subject": "Hi", "body": "{{contcat.name}}"},
            "The template's variables are missing or wrong.",
            "body: the field {{contcat.name}} is unknown; did you mean {{contact.name}}?",
        ),
        ({"segments": [missing]}, "The campaign's segment was not found. Choose another segment.", "segments: "),
        ({"variants": AB[:1]}, "Validation error: variants: name two at least", "variants: "),
        ({"variants": [AB[0], {**AB[1], "share": 40}]}, "Validation error: variants: the shares are not", "variants: "),
        ({"variants": [AB[0], AB[0]]}, "Validation error: variants: two have the same name", "variants: "),
        (
            {"variants": AB, "winner": {"metric": "opened", "after": SOON}},
            "The request is not complete or has wrong values.",
            "winner.metric: turn on",
        ),
        (
            {"variants": AB, "winner": {"metric": "replied"}},
            "The request is not complete or has wrong values.",
            "winner.after: needs",
        ),
        ({"winner": {"metric": "manual"}}, "Validation error: winner: add a second version", "winner: "),
        ({"audience": "live"}, "Validation error: endsAt: enter an end for a live audience", "endsAt: "),
        ({"audience": "live", "endsAt": late}, "Validation error: endsAt: choose a time in the future", "endsAt: "),
        ({"recurring": True}, "Validation error: intervalMs: enter how often", "intervalMs: "),
        ({"window": {"days": [9]}}, "The request is not complete or has wrong values.", "window.days: "),
        ({"throttle": 0}, "Validation error: throttle", ""),
    ):
        answer = cast.key.post("/campaign", {"name": "New", **people, **values})
        assert answer.status in (400, 404), (values, answer.body)
        assert answer.body["message"].startswith(message), (values, answer.body)
        assert answer.body.get("warning", "").startswith(warning), (values, answer.body)


def test_what_is_missing_is_said_at_the_start(cast: Cast, people: dict[str, Any]) -> None:
    empty = {"segments": [], "tags": [], "smtp": None}
    id = made(cast, {}, name="Bare")
    for values, message in (
        (empty, "Choose a sender for the campaign."),
        ({"smtp": people["smtp"]}, "Choose a template for the campaign."),
        (TEXT, "Choose an audience for the campaign."),
        ({"tags": people["tags"]}, "The audience is empty. Choose other contacts."),
    ):
        assert cast.key.put(f"/campaign/{id}", values).status == 200
        if message == "The audience is empty. Choose other contacts.":
            with cast.scope():
                ContactTag.objects.all().delete()
        answer = cast.key.post(f"/campaign/{id}/start")
        assert (answer.status, answer.body["message"]) == (400, message), answer.body
    with cast.scope():
        Smtp.objects.update(is_active=False)
    assert (
        cast.key.post(f"/campaign/{id}/start").body["message"]
        == "The campaign's sender is not available. Choose another sender."
    )
    whole = cast.key.get(f"/campaign/{id}").data
    assert cast.key.put(f"/campaign/{id}", {**whole, "name": "Written back"}).data["name"] == "Written back"
    typed = cast.key.put(f"/campaign/{id}", {"type": "mailvendor-d"}).data
    assert (typed["type"], typed["smtp"]) == ("mailvendor-d", None)
    assert (
        cast.key.post(f"/campaign/{id}/start").body["message"]
        == "No email sender works yet. Connect or select a sender."
    )


def test_a_mail_takes_no_variables_of_a_chat_template(cast: Cast, people: dict[str, Any]) -> None:
    id, given = made(cast, people, **TEXT), {"variables": {"1": "SPRING"}}
    for answer in (
        cast.key.post("/campaign", {"name": "Other", **people, **TEXT, **given}),
        cast.key.put(f"/campaign/{id}", given),
        cast.key.put(f"/campaign/{id}", {"variants": [{**AB[0], **given}, AB[1]]}),
    ):
        assert (answer.status, answer.body["message"]) == (400, "The template's variables are missing or wrong.")
        assert "variables: leave them out of an email" in answer.body["warning"]
    assert cast.key.put(f"/campaign/{id}", {"variables": {}}).status == 200
    unsupported = cast.key.post("/campaign/test/nope", {"to": ["x@example.com"], **TEXT})
    assert (unsupported.status, "smtp, mailvendor-a" in unsupported.body["warning"]) == (400, True)
    assert ", chatapp, not " in unsupported.body["warning"]
