"""GET /genie/send-jobs, GET and PUT /genie/send-jobs/:sendJobId, approve and draft of one message."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from crm.models import Contact
from outreach.models import SendJob, Smtp
from tests.kit.cast import Cast, make_cast
from tests.outreach.helpers import Post, planned, statuses, work

MISSING = "0" * 24
PATH = "/genie/send-jobs"


def first(cast: Cast, run: str) -> str:
    with cast.scope():
        return SendJob.objects.filter(run_id=run).order_by("id").values_list("pk", flat=True)[0]


def test_list_of_a_runs_messages(cast: Cast, post: Post, outsiders: Cast, django_assert_num_queries: Any) -> None:
    run, other = planned(cast, 3, draft=True), planned(cast, 2)
    with django_assert_num_queries(10, exact=False):
        answer = cast.key.get(PATH, run=run, p=1, n=2)
    assert (answer.status, answer.body["totalCount"], len(answer.data)) == (200, 3, 2)
    row = answer.data[0]
    assert (row["status"], row["reason"], row["run"]["_id"]) == ("draft", "awaiting_approval", run)
    assert row["smtp"] == {
        "_id": post.smtp.pk,
        "name": "Sender",
        "host": "127.0.0.1",
        "port": post.port,
        "fromEmail": "sender@example.com",
        "fromName": "Sender",
    }
    assert row["contact"]["email"] == row["recipient"]
    assert len(cast.session.get(PATH, filters={"status": "approved"}).data) == 2
    assert len(cast.key.get(PATH, filters={"run": other}).data) == 2
    assert outsiders.key.get(PATH, run=run).data == []
    assert cast.key.get(PATH, run="xyz").body["message"] == "Invalid format for field run: xyz"
    assert cast.key.get(PATH, walk="1").status == 400


def test_detail_says_why_it_has_not_gone_and_when_it_will(cast: Cast, post: Post) -> None:
    run = planned(cast, 1, draft=True)
    id = first(cast, run)
    shown = cast.key.get(f"{PATH}/{id}").data
    assert (shown["decision"]["state"], shown["decision"]["reason"]) == ("wait", "awaiting_approval")
    assert shown["decision"]["sentence"] == shown["sentence"] == "Needs approval."
    assert (shown["decision"]["until"], shown["decision"]["goesAt"]) == (None, None)
    assert shown["subject"]
    assert shown["text"]
    assert "<p" in shown["html"]
    assert [(step["from"], step["to"]) for step in shown["transitions"]] == [("", "planned"), ("planned", "draft")]
    cast.key.post(f"{PATH}/{id}/approve")
    assert cast.key.get(f"{PATH}/{id}").data["decision"]["state"] == "ready"
    for change, reason in (
        (lambda: Smtp.objects.update(verified=False), "sender_unverified"),
        (lambda: Smtp.objects.update(is_active=False), "sender_inactive"),
        (lambda: Contact.objects.update(unsubscribed_at=timezone.now()), "unsubscribed"),
    ):
        with cast.scope():
            change()
        assert cast.key.get(f"{PATH}/{id}").data["decision"]["reason"] == reason


def test_detail_of_a_sent_message_shows_its_life(cast: Cast, post: Post) -> None:
    run = planned(cast, 1)
    work("send")
    shown = cast.session.get(f"{PATH}/{first(cast, run)}").data
    assert (shown["status"], shown["decision"], shown["reply"]) == ("sent", None, "2.0.0 queued")
    assert [step["to"] for step in shown["transitions"]] == ["planned", "approved", "claimed", "sending", "sent"]
    assert shown["messageId"] == post.message_ids()[0]
    assert shown["sentAt"].endswith("Z")


def test_a_draft_is_edited_and_goes_as_it_was_edited(cast: Cast, post: Post) -> None:
    run = planned(cast, 1, draft=True)
    id = first(cast, run)
    body = {"subject": "A new\nsubject", "text": "Mine.", "html": "<p onclick='x()'>Mine<script>alert(1)</script></p>"}
    changed = cast.key.put(f"{PATH}/{id}", body).data
    assert (changed["subject"], changed["text"], changed["html"]) == ("A new subject", "Mine.", "<p>Mine</p>")
    changed = cast.key.put(f"{PATH}/{id}", {"text": "Only text."}).data
    assert "Only text." in changed["html"]
    cast.key.post(f"{PATH}/{id}/approve")
    refused = cast.key.put(f"{PATH}/{id}", {"text": "Too late."})
    assert (refused.status, refused.body["warning"]) == (
        400,
        "sendJobId: the message is approved; this needs one of draft",
    )
    work("send")
    assert post.subjects() == ["Subject: A new subject"]
    assert b"Only text." in post.server.received[0]


def test_approve_and_draft_of_one(cast: Cast, post: Post) -> None:
    run = planned(cast, 2, draft=True)
    id = first(cast, run)
    for _ in range(2):
        answer = cast.session.post(f"{PATH}/{id}/approve")
        assert (answer.status, answer.data["status"], answer.data["approvedBy"]["_id"]) == (
            200,
            "approved",
            cast.owner.pk,
        )
    assert statuses(cast, run) == {"approved": 1, "draft": 1}
    for _ in range(2):
        answer = cast.key.post(f"{PATH}/{id}/draft")
        assert (answer.status, answer.data["status"], answer.data["reason"]) == (200, "draft", "awaiting_approval")
    cast.key.post(f"{PATH}/{id}/approve")
    work("send")
    for path in ("approve", "draft"):
        refused = cast.key.post(f"{PATH}/{id}/{path}")
        assert (refused.status, refused.body["message"]) == (400, "This can no longer be changed.")
    assert len(post.server.received) == 1


def test_another_companys_message_looks_missing(cast: Cast, outsiders: Cast, post: Post) -> None:
    id = first(cast, planned(cast, 1, draft=True))
    for method, path in (("get", ""), ("put", ""), ("post", "/approve"), ("post", "/draft"), ("post", "/cancel")):
        foreign, missing = (getattr(outsiders.key, method)(f"{PATH}/{each}{path}") for each in (id, MISSING))
        assert (foreign.status, foreign.body) == (404, missing.body)
        assert (
            getattr(cast.key, method)(f"{PATH}/xyz{path}").body["message"] == "Invalid format for field sendJobId: xyz"
        )
    with cast.scope():
        assert SendJob.objects.get().status == "draft"


def test_bad_bodies_name_the_field(cast: Cast, post: Post) -> None:
    id = first(cast, planned(cast, 1, draft=True))
    for body, field in (
        ({"subject": 1}, "subject"),
        ({"text": ""}, "text"),
        ({"shade": "red"}, "shade"),
        ({"subject": "a" * 201}, "subject"),
    ):
        answer = cast.key.put(f"{PATH}/{id}", body)
        assert answer.status == 400
        assert field in answer.body["warning"]
    fixed = cast.key.put(f"{PATH}/{id}", {"status": "sent"})
    assert (fixed.status, fixed.body["errors"][0]["field"]) == (400, "status")


def test_roles(db: None) -> None:
    reader = make_cast({"genie": {"GET": True}})
    assert reader.narrow_session.get(PATH).status == 200
    assert reader.narrow_session.put(f"{PATH}/{MISSING}", {}).status == 403
    assert reader.narrow_session.post(f"{PATH}/{MISSING}/approve").status == 403
    assert make_cast().narrow_session.get(PATH).status == 403


def test_words_that_changed_are_not_approved_unseen(cast: Cast, post: Post) -> None:
    id = first(cast, planned(cast, 1, draft=True))
    seen = cast.session.get(f"{PATH}/{id}").data["contentHash"]
    assert cast.session.get(PATH).data[0]["contentHash"] == seen
    changed = cast.key.put(f"{PATH}/{id}", {"text": "Other words."}).data["contentHash"]
    assert changed != seen
    refused = cast.session.post(f"{PATH}/{id}/approve", {"contentHash": seen})
    assert (refused.status, refused.body["message"], refused.body["warning"]) == (
        409,
        "The message has changed in the meantime. Reload the page.",
        "contentHash: read the message again before it is approved",
    )
    assert cast.key.get(f"{PATH}/{id}").data["status"] == "draft"
    assert cast.session.post(f"{PATH}/{id}/approve", {"contentHash": changed}).data["status"] == "approved"
    assert cast.session.post(f"{PATH}/{id}/approve", {"contentHash": ""}).status == 400
    work("send")
    assert b"Other words." in post.server.received[0]


def test_what_is_approved_is_bound_to_whom_it_goes_to_and_comes_from(cast: Cast, post: Post) -> None:
    id = first(cast, planned(cast, 1, draft=True))
    seen = cast.session.get(f"{PATH}/{id}").data["contentHash"]
    for rows, change in (
        (Contact, {"email": "new@example.net", "email_key": "new@example.net"}),
        (Contact, {"name": "Somebody Else"}),
        (Smtp, {"from_name": "Another"}),
        (Smtp, {"from_email": "another@example.com"}),
    ):
        with cast.scope():
            rows.objects.update(**change)
        refused = cast.session.post(f"{PATH}/{id}/approve", {"contentHash": seen})
        assert (refused.status, refused.body["warning"].partition(":")[0]) == (409, "contact, smtp")
        shown = cast.session.get(f"{PATH}/{id}").data
        assert (shown["recipient"], shown["contentHash"] != seen) == ("new@example.net", True)
        assert cast.session.get(PATH).data[0]["contentHash"] == shown["contentHash"]
        assert cast.session.put(f"{PATH}/{id}", {"text": "Mine.", "contentHash": seen}).status == 200  # same words
        seen = cast.session.get(f"{PATH}/{id}").data["contentHash"]
    assert cast.session.post(f"{PATH}/{id}/approve", {"contentHash": seen}).status == 200
    with cast.scope():
        Contact.objects.update(email="newer@example.net", email_key="newer@example.net")
    assert cast.session.get(f"{PATH}/{id}").data["decision"]["reason"] == "approval_outdated"
    assert cast.session.post(f"{PATH}/{id}/approve", {"contentHash": seen}).status == 409
    again = cast.session.get(f"{PATH}/{id}").data["contentHash"]
    assert cast.session.post(f"{PATH}/{id}/approve", {"contentHash": again}).data["status"] == "approved"
    work("send")
    assert post.recipients() == ["newer@example.net"]
    assert b"From: Another <another@example.com>" in post.server.received[0]


def test_a_failed_message_goes_to_no_other_address_and_an_empty_one_is_not_approved(cast: Cast, post: Post) -> None:
    run = planned(cast, 2)
    with cast.scope():
        job, empty = SendJob.objects.filter(run_id=run).order_by("id")
        SendJob.objects.filter(pk=job.pk).update(status="failed")
        SendJob.objects.filter(pk=empty.pk).update(status="draft", text="")
        Contact.objects.filter(pk=job.contact_id).update(email="new@example.net", email_key="new@example.net")
    assert cast.key.post(f"/genie/{run}/retry-failed").status == 200
    work("send")
    assert cast.key.get(f"{PATH}/{job.pk}").data["reason"] == "approval_outdated"
    answer = cast.key.post(f"{PATH}/{empty.pk}/approve")
    assert (answer.status, answer.body["warning"]) == (400, "text: enter a text before you approve")
    assert cast.key.post(f"{PATH}/{empty.pk}/cancel").status == 200
    answer = cast.key.post(f"{PATH}/{empty.pk}/draft")
    assert (answer.status, answer.body["warning"][:9]) == (400, "sendJobId")
    assert statuses(cast, run) == {"draft": 1, "cancelled": 1}
    assert post.recipients() == []


def test_a_message_is_cancelled_and_taken_back(cast: Cast, post: Post) -> None:
    run = planned(cast, 2, draft=True)
    id = first(cast, run)
    for _ in range(2):
        answer = cast.session.post(f"{PATH}/{id}/cancel")
        assert (answer.status, answer.data["status"], answer.data["reason"]) == (200, "cancelled", "declined")
    cast.key.post(f"/genie/{run}/approve-all")
    assert cast.key.post(f"{PATH}/{id}/approve").status == 400
    work("send")
    assert (len(post.server.received), statuses(cast, run)) == (1, {"sent": 1, "cancelled": 1})
    other = cast.key.get(PATH, run=run, filters={"status": "sent"}).data[0]["_id"]
    assert cast.key.post(f"{PATH}/{other}/cancel").status == 400
    assert cast.key.post(f"{PATH}/{id}/draft").data["status"] == "draft"
    steps = cast.key.get(f"{PATH}/{id}").data["transitions"]
    assert [(step["to"], step["actor"]) for step in steps][2:] == [
        ("cancelled", cast.owner.pk),
        ("draft", cast.owner.pk),
    ]
    assert cast.key.post(f"/genie/{run}/cancel").data["cancelledCount"] == 1
    refused = cast.key.post(f"{PATH}/{id}/draft")
    assert (refused.status, refused.body["warning"]) == (400, "sendJobId: the message was not cancelled by itself")


def test_runs_say_how_many_went_and_were_answered(cast: Cast, post: Post) -> None:
    run, drafts = planned(cast, 2), planned(cast, 1, draft=True)
    work("send")
    with cast.scope():
        Contact.objects.filter(email=post.recipients()[0]).update(replied_at=timezone.now())
    found = {row["_id"]: (row["sent"], row["answered"]) for row in cast.key.get("/genie").data}
    assert found == {run: (2, 1), drafts: (0, 0)}
    assert cast.session.get(f"/genie/{run}").data["answered"] == 1
