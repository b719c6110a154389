"""Runs: POST /genie/from-contacts, GET /genie, GET and DELETE /genie/:schedulerId, cancel, approve-all and the like."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from core.models import Event
from core.text.formats import day_text
from crm.models import Contact, ContactTag, CustomField
from outreach.models import AiApp, GenieScheduler, SendJob, SendJobTransition, Smtp, Suppression
from outreach.runs.genie.writing import planning
from outreach.runs.genie.writing.writer import Writer
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, SmtpFactory, TagFactory
from tests.outreach.helpers import Post, planned, run_of, statuses, work

MISSING = "0" * 24
START = "/genie/from-contacts"


@pytest.fixture
def ready(cast: Cast) -> Cast:
    """A company that can start runs."""
    with cast.scope():
        SmtpFactory()
        AiApp.objects.create(provider="offline-composer", name="Offline", is_default=True)
    return cast


def test_a_run_is_queued_and_then_planned(ready: Cast) -> None:
    with ready.scope():
        tag = TagFactory()
        contact = ContactFactory(name="Ann Example")
        ContactTag.objects.create(contact=contact, tag=tag)
    answer = ready.key.post(START, {"tags": [tag.pk], "prompt": "Invite them to our open day", "tone": "friendly"})
    assert answer.status == 201
    run = answer.data
    assert (run["phase"], run["status"], run["total"], run["processed"]) == ("planning", "queued", None, 0)
    assert (run["name"], run["aiType"], run["draft"]) == ("Invite them to our open day", "ai-offline", False)
    with ready.scope():
        event = Event.objects.get(kind="genie.created")
        assert (event.object_id, event.automation, event.actor_id) == (run["_id"], True, ready.owner.pk)
    work("genie")
    shown = ready.session.get(f"/genie/{run['_id']}").data
    assert (shown["phase"], shown["status"], shown["total"], shown["processed"]) == ("sending", "completed", 1, 1)
    assert shown["audience"] == {
        "contactIds": [],
        "leadIds": [],
        "segments": None,
        "tags": [tag.pk],
        "categories": None,
    }
    with ready.scope():
        job = SendJob.objects.get()
        assert (job.contact_id, job.recipient, job.status) == (contact.pk, contact.email, "approved")
        assert "Ann" in job.text
        assert "open day" in job.text


def test_drafts_wait_and_are_approved_and_held_again(ready: Cast) -> None:
    run = planned(ready, 3, draft=True)
    assert statuses(ready, run) == {"draft": 3}
    assert ready.key.get(f"/genie/{run}").data["phase"] == "awaiting_approval"
    approved = ready.session.post(f"/genie/{run}/approve-all").data
    assert (approved["changedCount"], approved["status"], approved["run"]["_id"]) == (3, "approved", run)
    assert approved["approvedBy"]["_id"] == ready.owner.pk
    assert ready.key.post(f"/genie/{run}/approve-all").data["changedCount"] == 0
    held = ready.key.post(f"/genie/{run}/draft-all").data
    assert (held["changedCount"], held["status"], held["approvedBy"]) == (3, "draft", None)
    with ready.scope():
        job = SendJob.objects.first()
        assert job is not None
        steps = list(
            SendJobTransition.objects.filter(send_job=job)
            .order_by("created_at", "id")
            .values_list("to_status", "actor_id")
        )
    assert steps == [(status, ready.owner.pk) for status in ("planned", "draft", "approved", "draft")]


def test_draft_all_leaves_what_a_worker_holds(ready: Cast) -> None:
    run = planned(ready, 3)
    with ready.scope():
        held = SendJob.objects.first()
        assert held is not None
        SendJob.objects.filter(pk=held.pk).update(status="claimed", lease=MISSING)
    assert ready.key.post(f"/genie/{run}/draft-all").data["changedCount"] == 2
    assert statuses(ready, run) == {"draft": 2, "claimed": 1}


def test_planning_in_batches_plans_everybody_once(ready: Cast, monkeypatch: Any) -> None:
    monkeypatch.setattr(planning, "BATCH", 4)
    run = planned(ready, 11)
    assert statuses(ready, run) == {"approved": 11}
    found = run_of(ready, run)
    assert (found.total, found.processed, found.status) == (11, 11, "completed")
    with ready.scope():
        assert SendJob.objects.values("contact_id").distinct().count() == 11
        assert SendJobTransition.objects.count() == 22
        GenieScheduler.objects.update(status="queued", planned_until="", planned_at=None, processed=0)
    work("genie")  # planned once more from the beginning, nobody gets a second message
    with ready.scope():
        assert SendJob.objects.count() == 11
        assert SendJobTransition.objects.count() == 22


def test_planning_needs_no_more_queries_for_more_recipients(ready: Cast, django_assert_num_queries: Any) -> None:
    counted = []
    for count in (2, 30):
        with ready.scope():
            ids = [ContactFactory().pk for _ in range(count)]
        assert ready.key.post(START, {"contactIds": ids}).status == 201
        with django_assert_num_queries(60, exact=False) as found:
            work("genie")
        counted.append(len(found))
    assert counted[0] == counted[1]


def test_those_never_written_to_get_a_row_that_says_why(ready: Cast) -> None:
    with ready.scope():
        gone = ContactFactory(unsubscribed_at=timezone.now())
        mute = ContactFactory(email=None)
        listed = ContactFactory()
        Suppression.objects.create(email=listed.email, reason="bounced")
    run = ready.key.post(START, {"contactIds": [gone.pk, mute.pk, listed.pk]}).data["_id"]
    work("genie")
    with ready.scope():
        rows = {job.contact_id: (job.status, job.reason, job.text) for job in SendJob.objects.filter(run_id=run)}
    assert rows == {
        gone.pk: ("suppressed", "unsubscribed", ""),
        mute.pk: ("failed", "no_valid_address", ""),
        listed.pk: ("suppressed", "address_suppressed", ""),
    }
    assert ready.key.get(f"/genie/{run}").data["phase"] == "completed"
    assert ready.key.post(f"/genie/{run}/retry-failed").data == {"changedCount": 0}


def test_contacts_made_after_the_run_are_left_out(ready: Cast) -> None:
    with ready.scope():
        tag = TagFactory()
        ContactTag.objects.create(contact=ContactFactory(), tag=tag)
    run = ready.key.post(START, {"tags": [tag.pk]}).data["_id"]
    with ready.scope():
        ContactTag.objects.create(contact=ContactFactory(), tag=tag)
    work("genie")
    assert statuses(ready, run) == {"approved": 1}
    assert run_of(ready, run).total == 1


def test_custom_values_reach_the_writer_by_their_names(ready: Cast) -> None:
    with ready.scope():
        field = CustomField.objects.create(name="Company name", field_type="text", unique_field_id="f1")
        contact = ContactFactory(custom={field.unique_field_id: "Globex", "unknown": "x"})
    ready.key.post(START, {"contactIds": [contact.pk], "tone": "direct"})
    work("genie")
    with ready.scope():
        assert "Globex" in SendJob.objects.get().text


def test_errors_of_starting(ready: Cast, outsiders: Cast) -> None:
    with ready.scope():
        contact = ContactFactory().pk
        inactive = SmtpFactory(is_active=False).pk
    with outsiders.scope():
        foreign = SmtpFactory().pk
    for body, message in (
        ({}, "The audience is empty. Choose other contacts."),
        ({"contactIds": [contact], "aiType": "oracle"}, "Choose one of the AI apps."),
        ({"contactIds": [contact], "aiType": "ai-a"}, "No AI writer is connected yet."),
        ({"contactIds": [contact], "aiType": "ai-b"}, "No AI writer is connected yet."),
        ({"contactIds": [contact], "smtp": foreign}, "No email sender works yet. Connect or select a sender."),
        ({"contactIds": [contact], "smtp": inactive}, "No email sender works yet. Connect or select a sender."),
        ({"contactIds": [contact], "enrichmentEnabled": True}, "Connected app not found."),
        ({"contactIds": [MISSING]}, "Contact not found."),
    ):
        answer = ready.key.post(START, body)
        assert (answer.status, answer.body["message"]) == (400, message), body
    for body, field in (
        ({"prompt": 5}, "prompt"),
        ({"draft": "yes"}, "draft"),
        ({"smtp": "x"}, "smtp"),
        ({"count": 5}, "count"),
    ):
        answer = ready.key.post(START, body)
        assert answer.status == 400
        assert field in answer.body["warning"]
    with ready.scope():
        assert not GenieScheduler.objects.exists()
        Smtp.objects.all().delete()
        assert (
            ready.key.post(START, {"contactIds": [contact]}).body["message"]
            == "No email sender works yet. Connect or select a sender."
        )
        AiApp.objects.update(is_active=False)
        assert ready.key.post(START, {"contactIds": [contact]}).body["message"] == "No AI writer is connected yet."


def test_a_missing_ai_app_is_told_with_what_helps(ready: Cast) -> None:
    with ready.scope():
        contact = ContactFactory().pk

    def told(**chosen: str) -> str:
        answer = ready.key.post(START, {"contactIds": [contact], **chosen})
        assert answer.status == 400
        return str(answer.body["warning"])

    missing = "aiType: no ai-a app is active in this company (POST /apps/ai-a)"
    assert told(aiType="ai-a") == missing
    assert ready.key.post(START, {"contactIds": [contact], "aiType": "ai-offline", "draft": True}).status == 201
    with ready.scope():
        AiApp.objects.update(is_active=False)
    assert told(aiType="ai-a") == missing
    connect = "app is active in this company (POST /apps/"
    assert told(aiType="ai-offline") == f"aiType: no ai-offline {connect}ai-offline)"
    assert told() == f"aiType: no AI {connect}ai-a or POST /apps/ai-b or POST /apps/ai-offline)"


def test_list_has_phases_and_a_fixed_number_of_queries(
    ready: Cast, outsiders: Cast, django_assert_num_queries: Any
) -> None:
    a = planned(ready, 1, name="A")
    planned(ready, 1, name="B", draft=True)
    c = planned(ready, 1, name="C")
    ready.key.post(f"/genie/{c}/cancel")
    with django_assert_num_queries(8, exact=False):
        answer = ready.key.get("/genie", p=1, n=10, sortBy="name", sortOrder="asc")
    assert [(row["name"], row["phase"]) for row in answer.data] == [
        ("A", "sending"),
        ("B", "awaiting_approval"),
        ("C", "cancelled"),
    ]
    assert (answer.body["totalCount"], answer.body["nextCursor"]) == (3, None)
    assert [row["_id"] for row in ready.key.get("/genie", filters={"phase": "sending"}).data] == [a]
    assert outsiders.key.get("/genie").data == []


def test_cancel_stops_what_has_not_gone(ready: Cast) -> None:
    run = planned(ready, 3)
    answer = ready.session.post(f"/genie/{run}/cancel")
    assert (answer.status, answer.data["phase"], answer.data["cancelledCount"]) == (200, "cancelled", 3)
    assert statuses(ready, run) == {"cancelled": 3}
    again = ready.key.post(f"/genie/{run}/cancel")
    assert (again.data["cancelledCount"], again.body["warning"][:19]) == (0, "nothing has changed")
    for path in ("approve-all", "draft-all", "retry-failed"):
        refused = ready.key.post(f"/genie/{run}/{path}")
        assert (refused.status, refused.body["message"]) == (400, "This can no longer be changed.")


def test_actions_that_change_nothing_say_so(ready: Cast) -> None:
    run = planned(ready, 2, draft=True)
    path = f"/genie/{run}"
    for name in ("draft-all", "retry-failed"):
        answer = ready.key.post(f"{path}/{name}")
        assert (answer.data["changedCount"], answer.body["warning"][:19]) == (0, "nothing has changed")
    approved = ready.key.post(f"{path}/approve-all")
    assert (approved.data["changedCount"], approved.body.get("warning")) == (2, None)
    assert ready.key.post(f"{path}/approve-all").body["warning"][:19] == "nothing has changed"
    with ready.scope():
        SendJob.objects.filter(run_id=run).update(status=SendJob.Status.SENT, sent_at=timezone.now())
    ended = ready.key.post(f"{path}/cancel")
    assert (ended.status, ended.body["name"]) == (400, "CampaignCannotBeUpdated_400")
    assert ended.body["warning"].endswith("there is nothing to cancel")
    assert ready.key.get(path).data["cancelledAt"] is None
    with ready.scope():
        message = SendJob.objects.filter(run_id=run).first()
        assert message is not None
    refused = ready.key.post(f"/genie/send-jobs/{message.pk}/approve")
    assert (refused.status, refused.body["message"]) == (400, "This can no longer be changed.")
    assert ready.key.delete(path).status == 200


def test_cancel_before_planning_plans_nothing(ready: Cast) -> None:
    with ready.scope():
        contact = ContactFactory().pk
    run = ready.key.post(START, {"contactIds": [contact]}).data["_id"]
    ready.key.post(f"/genie/{run}/cancel")
    work("genie")
    assert statuses(ready, run) == {}
    assert ready.key.get(f"/genie/{run}").data["status"] == "cancelled"


def test_cancel_during_planning_ends_it(ready: Cast, monkeypatch: Any) -> None:
    monkeypatch.setattr(planning, "BATCH", 2)
    compose, calls = Writer._brief, []

    def cancel_in_between(self: Writer, *rest: Any) -> Any:
        calls.append(self.run.pk)
        if len(calls) == 3:
            GenieScheduler.objects.filter(pk=self.run.pk).update(cancelled_at=timezone.now(), cancel_requested=True)
        return compose(self, *rest)

    monkeypatch.setattr(Writer, "_brief", cancel_in_between)
    run = planned(ready, 6)
    assert statuses(ready, run) == {"approved": 2}
    assert run_of(ready, run).status == "cancelled"


def test_delete_cancels_and_hides(ready: Cast) -> None:
    run = planned(ready, 2)
    answer = ready.key.delete(f"/genie/{run}")
    assert (answer.status, answer.data["_id"], answer.data["phase"]) == (200, run, "cancelled")
    assert statuses(ready, run) == {"cancelled": 2}
    assert ready.key.get(f"/genie/{run}").status == 404
    assert ready.key.delete(f"/genie/{run}").status == 404
    assert ready.key.get("/genie").data == []


def test_detail_counts_and_reasons(ready: Cast) -> None:
    run = planned(ready, 4)
    with ready.scope():
        jobs = list(SendJob.objects.order_by("id"))
        SendJob.objects.filter(pk=jobs[0].pk).update(status="sent")
        SendJob.objects.filter(pk=jobs[1].pk).update(status="failed", reason="rejected")
    shown = ready.key.get(f"/genie/{run}").data
    assert {status: count for status, count in shown["counts"].items() if count} == {
        "sent": 1,
        "failed": 1,
        "approved": 2,
    }
    assert shown["percent"] == 50.0
    assert shown["nextDueAt"] is not None
    assert shown["reasons"] == [
        {"status": "failed", "reason": "rejected", "sentence": "The mail server refused the message.", "count": 1}
    ]


def test_a_failed_message_is_tried_again_by_a_person(ready: Cast, post: Post) -> None:
    run = planned(ready, 2, smtp=post.smtp.pk)
    post.server.at["rcpt"], post.server.times["rcpt"] = "554 5.7.1 not today", 2
    work("send")
    assert statuses(ready, run) == {"failed": 2}
    assert ready.key.post(f"/genie/{run}/retry-failed", {}).data["changedCount"] == 2
    work("send")
    assert statuses(ready, run) == {"sent": 2}


def test_another_companys_run_looks_missing(ready: Cast, outsiders: Cast) -> None:
    run = planned(ready, 1)
    for method, path in (
        ("get", ""),
        ("delete", ""),
        ("post", "/cancel"),
        ("post", "/approve-all"),
        ("post", "/draft-all"),
        ("post", "/retry-failed"),
    ):
        foreign, missing = (getattr(outsiders.key, method)(f"/genie/{id}{path}") for id in (run, MISSING))
        assert (foreign.status, foreign.body) == (404, missing.body)
        malformed = getattr(outsiders.key, method)(f"/genie/xyz{path}")
        assert malformed.body["message"] == "Invalid format for field schedulerId: xyz"
    assert statuses(ready, run) == {"approved": 1}


def test_roles(db: None) -> None:
    reader = make_cast({"genie": {"GET": True}})
    assert reader.narrow_session.get("/genie").status == 200
    for path in ("/genie/from-contacts", f"/genie/{MISSING}/cancel", f"/genie/{MISSING}/approve-all"):
        assert reader.narrow_session.post(path, {}).status == 403
    assert reader.narrow_session.delete(f"/genie/{MISSING}").status == 403


def test_no_event_for_automation_skip_and_names_default(ready: Cast) -> None:
    with ready.scope():
        contact = ContactFactory().pk
        assert Contact.objects.count() == 1
    made = ready.key.post(START, {"contactIds": [contact], "automation": "skip"}).data
    assert made["name"] == f"Outreach of {day_text(timezone.now())}"
    with ready.scope():
        assert Event.objects.get(kind="genie.created").automation is False
