"""Approvals that end, are outdated or come twice, and batches that are approved as a sample showed them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from core.jobs import WORK
from core.tenancy import unscoped
from crm.models import Contact
from outreach.messaging.delivery import services
from outreach.messaging.delivery.approving.approvals import hold_lapsed
from outreach.messaging.delivery.deciding.context import SendContext
from outreach.messaging.delivery.deciding.decision import Stop, decide
from outreach.messaging.delivery.deciding.reasons import sentence_of
from outreach.messaging.delivery.sending.claims import claim
from outreach.messaging.delivery.stopping.endings import never_goes
from outreach.models import SendJob, Suppression
from outreach.runs.genie.review import message_jobs
from outreach.runs.genie.review.approval import SampleState
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.kit.sending import commit_intent
from tests.outreach.helpers import Post, planned, statuses, work
from tests.outreach.runs.genie.review.helpers import PATH, ids, shown
from tests.web.helpers import at, enter, text_of


def test_an_outdated_approval_is_told_at_once_and_not_renewed_unseen(cast: Cast, post: Post) -> None:
    run = planned(cast, 3, draft=True)
    one, two, _ = ids(cast, run)
    assert cast.key.post(f"/genie/{run}/approve-all").data["changedCount"] == 3
    with cast.scope():
        Contact.objects.filter(send_jobs__pk=one).update(email="new@example.net", email_key="new@example.net")
        SendJob.objects.update(due_at=timezone.now() + timedelta(days=1))  # nothing claims them
    listed = cast.key.get(PATH, run=run, filters={"reason": "approval_outdated"}).data
    assert [(row["_id"], row["status"], row["reason"]) for row in listed] == [(one, "approved", "approval_outdated")]
    assert "Approve the message again" in listed[0]["sentence"]
    detail = cast.key.get(f"/genie/{run}").data
    assert (detail["lapsedCount"], detail["reasons"][0]["reason"], detail["reasons"][0]["count"]) == (
        1,
        "approval_outdated",
        1,
    )
    # Neither holding all and approving all, nor the tick in between, approves it for others than it was read for.
    assert cast.key.post(f"/genie/{run}/draft-all").data["changedCount"] == 3
    assert WORK["periodic:outreach.lapsed_approvals"].run is hold_lapsed
    again = cast.key.post(f"/genie/{run}/approve-all")
    assert [again.data[name] for name in ("changedCount", "leftCount", "outdatedCount")] == [2, 1, 1]
    assert "1 draft was left: its contact or sender is another one since the approval" in again.body["warning"]
    with cast.scope():
        Contact.objects.filter(send_jobs__pk=two).update(name="Somebody Else")
    with unscoped(reason="test"):
        assert hold_lapsed() is False
    assert statuses(cast, run) == {"draft": 2, "approved": 1}
    assert shown(cast, two)["transitions"][-1]["reason"] == "approval_outdated"
    seen = shown(cast, one)["contentHash"]
    assert cast.key.post(f"{PATH}/{one}/approve", {"contentHash": seen}).data["reason"] == ""


def test_an_approval_ends(cast: Cast, post: Post) -> None:
    assert cast.session.put("/genie/settings", {"approvalDays": 3}).data["approvalDays"] == 3
    for wrong in (0, 366, "3"):
        refused = cast.session.put("/genie/settings", {"approvalDays": wrong})
        assert (refused.status, "approvalDays" in refused.body["warning"]) == (400, True)
    run, unasked = planned(cast, 2, draft=True), planned(cast, 1)
    one, two = ids(cast, run)
    cast.key.post(f"{PATH}/{one}/approve")
    approved = cast.session.post(f"{PATH}/{two}/approve").data
    assert approved["approvalEndsAt"][:10] == (timezone.now() + timedelta(days=3)).date().isoformat()
    assert shown(cast, ids(cast, unasked)[0])["approvalEndsAt"] is None, "nobody has read it: the run was the approval"
    with cast.scope():
        ended = timezone.now() - timedelta(seconds=1)
        SendJob.objects.filter(pk=one).update(approval_ends_at=ended)
    assert [shown(cast, one)[name] for name in ("status", "reason")] == ["approved", "approval_expired"]
    assert shown(cast, one)["decision"]["reason"] == "approval_expired"
    assert len(cast.key.get(PATH, filters={"reason": "approval_expired"}).data) == 1
    with unscoped(reason="test"):
        hold_lapsed()
    assert [shown(cast, one)[name] for name in ("status", "reason", "approvalEndsAt")] == [
        "draft",
        "approval_expired",
        None,
    ]
    assert "has expired" in shown(cast, one)["sentence"]
    # It ends between the claim and the sending: the statement that commits the intent looks again.
    with cast.scope():
        (job,) = [job for job in claim(post.smtp.pk).jobs if job.pk == two]
        SendJob.objects.filter(pk=two).update(approval_ends_at=ended)
        assert not commit_intent(job, recipient=job.contact.email)
        SendJob.objects.filter(run_id=run, status="claimed").update(status="approved", lease=None)
    work("send")
    assert statuses(cast, run) == {"draft": 2}
    assert cast.key.post(f"{PATH}/{one}/approve").data["status"] == "approved"
    work("send")
    assert statuses(cast, run) == {"draft": 1, "sent": 1}


def test_all_are_approved_as_the_sample_showed_them(cast: Cast, post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    run = planned(cast, 8, draft=True)
    left, other, *_ = ids(cast, run)
    with cast.scope():
        claim_of = {"part": "text", "start": 0, "end": 1, "text": "H", "source": "", "value": ""}
        SendJob.objects.filter(pk=left).update(evidence=[claim_of])
    place = f"/genie/{run}/approval-sample"
    found = cast.session.get(place).data
    assert (found["count"], found["leftCount"], found["outdatedCount"], len(found["sample"])) == (7, 1, 0, 5)
    assert found["sample"][0]["subject"]
    assert cast.session.get(place).data["sample"] == found["sample"]
    assert cast.key.get(place, walk="1").status == 400
    assert cast.key.get(f"/genie/{'0' * 24}/approval-sample").status == 404
    for change in (
        lambda: cast.key.put(f"{PATH}/{other}", {"text": "Other words."}),
        lambda: cast.key.put("/contact/" + shown(cast, other)["contact"]["_id"], {"formData": {"name": "New Name"}}),
        lambda: cast.key.post(f"{PATH}/{other}/cancel"),
    ):
        assert change().status == 200
        refused = cast.session.post(f"/genie/{run}/approve-all", {"contentHash": found["contentHash"]})
        assert (refused.status, refused.body["warning"].partition(":")[0]) == (409, "contentHash")
        assert statuses(cast, run).get("approved") is None
        found = cast.session.get(place).data
    seen = {"contentHash": found["contentHash"]}
    monkeypatch.setattr(message_jobs, "MAX_DIRECT_CHANGES", 2)
    queued = cast.session.post(f"/genie/{run}/approve-all", seen)
    assert queued.body["bulkJob"]
    late = ids(cast, run)[3]
    cast.key.put(f"{PATH}/{late}", {"text": "Words that nobody has looked at."})
    work("bulk-job")
    assert statuses(cast, run) == {"draft": 2, "approved": 5, "cancelled": 1}
    assert shown(cast, late)["status"] == "draft"

    done = cast.session.post(f"/genie/{run}/approve-all", seen)
    assert (done.status, done.data["changedCount"], statuses(cast, run)["approved"]) == (200, 0, 5)


def test_the_same_approval_twice_is_one(cast: Cast, post: Post) -> None:
    run = planned(cast, 2, draft=True)
    seen = {"contentHash": cast.session.get(f"/genie/{run}/approval-sample").data["contentHash"]}
    assert [cast.session.post(f"/genie/{run}/approve-all", seen).data["changedCount"] for _ in range(2)] == [2, 0]
    refused = cast.session.post(f"/genie/{run}/approve-all", {"contentHash": "0" * 64})
    assert (refused.status, "approval-sample" in refused.body["warning"]) == (409, True)
    work("send")
    assert cast.session.post(f"/genie/{run}/approve-all", seen).data["changedCount"] == 0
    assert statuses(cast, run) == {"sent": 2}


def test_a_draft_that_a_person_cancels_meanwhile_keeps_their_decision(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cast.scope():
        job = SendJob.objects.create(contact=ContactFactory(is_deleted=True), status="draft", text="Hello")
        rows = SendJob.objects.filter(pk=job.pk)
        decide_late = services.final_state

        def meanwhile(reason: str) -> Any:
            rows.update(status="cancelled", reason="declined")
            return decide_late(reason)

        monkeypatch.setattr(services, "final_state", meanwhile)
        assert services.approve_together(rows, None) == 0
        assert rows.values_list("status", "reason").get() == ("cancelled", "declined")
        assert not job.transitions.exists()


def test_what_would_never_go_is_not_approved(cast: Cast, post: Post) -> None:
    run = planned(cast, 7, draft=True)
    listed, gone, left, unaddressed, replied, tired, live = found = ids(cast, run)
    now = timezone.now()
    with cast.scope():
        contacts = {pk: Contact.objects.filter(send_jobs__pk=pk) for pk in found}
        Suppression.objects.create(email=contacts[listed].get().email.lower())
        contacts[gone].update(is_deleted=True)
        contacts[left].update(unsubscribed_at=now)
        contacts[unaddressed].update(email=None, email_key=None)
        contacts[replied].update(replied_at=now)
        SendJob.objects.filter(pk=tired).update(attempts=5)
        jobs = list(SendJob.objects.filter(pk__in=found).select_related("contact", "run", "smtp").order_by("pk"))
        decided = SendContext.load().decision_inputs(jobs, {}, now)
        expected = [one.reason if isinstance(one := decide(decided[pk], now), Stop) else None for pk in found]
        rows = SendJob.objects.filter(pk__in=found).order_by("pk")
        assert list(rows.values_list(never_goes(), flat=True)) == expected
    counts = [{"reason": one, "sentence": sentence_of(one), "count": 1} for one in sorted(filter(None, expected))]
    assert len(counts) == 6
    sample = cast.session.get(f"/genie/{run}/approval-sample").data
    assert (sample["count"], sample["leftCount"], sample["skipped"], len(sample["sample"])) == (1, 0, counts, 1)
    refused = cast.key.post(f"{PATH}/{listed}/approve", {"contentHash": shown(cast, listed)["contentHash"]})
    assert (refused.status, "suppression list" in refused.body["warning"]) == (400, True)
    approved = cast.session.post(f"/genie/{run}/approve-all", {"contentHash": sample["contentHash"]})
    assert (approved.data["changedCount"], approved.data["skipped"]) == (1, counts)
    assert "1 draft was skipped, since it would never go: The contact was deleted" in approved.body["warning"]
    assert statuses(cast, run) == {"approved": 1, "cancelled": 2, "suppressed": 2, "failed": 2}
    with cast.scope():
        ended = SendJob.objects.filter(pk__in=found).exclude(status="approved").order_by("pk")
        assert [one.reason for one in ended] == [one for one in expected if one]
    with cast.scope():
        contacts[live].update(is_deleted=True)
    held = cast.session.post(f"/genie/{run}/draft-all")
    assert held.data["changedCount"] == 1
    page = enter(cast.owner).get(at(cast.owner, f"outreach/{run}/approve"))
    assert "No messages would be sent" in text_of(page)
    sent = enter(cast.owner).post(at(cast.owner, f"outreach/{run}/approve"), {"do": "approve", "contentHash": ""})
    assert (sent.status_code, statuses(cast, run).get("draft")) == (303, None)


def test_an_approval_holds_for_what_was_seen_while_other_drafts_come(cast: Cast, post: Post) -> None:
    run = planned(cast, 3, draft=True)
    one, two, late = ids(cast, run)
    with cast.scope():
        drafts = SendJob.objects.filter(pk=late)
        drafts.update(status="planned")  # as a follow-up that is written while somebody reads
    found = cast.session.get(f"/genie/{run}/approval-sample").data
    assert found["count"] == 2
    with cast.scope():
        drafts.update(status="draft", updated_at=timezone.now())
        assert drafts.get().updated_at > SampleState.read(found["contentHash"]).until
    client, page = enter(cast.owner), at(cast.owner, f"outreach/{run}/approve")
    sent = client.post(page, {"do": "approve", "contentHash": found["contentHash"]})
    assert sent.status_code == 303
    told = text_of(client.get(sent["Location"]))
    assert "Approved 2 messages. 1 message new or changed" in told
    assert [shown(cast, id)["status"] for id in (one, two, late)] == ["approved", "approved", "draft"]
    again = cast.session.post(f"/genie/{run}/approve-all", {"contentHash": found["contentHash"]})
    assert [again.data[name] for name in ("changedCount", "leftCount", "newerCount")] == [0, 0, 1]
    assert again.body["warning"] == "1 draft has come or changed since the sample"
    # What was seen and has other words by now is not approved, and the page says so in words for people.
    found = cast.session.get(f"/genie/{run}/approval-sample").data
    assert cast.key.put(f"{PATH}/{late}", {"text": "Other words."}).status == 200
    refused = client.post(page, {"do": "approve", "contentHash": found["contentHash"]})
    told = text_of(client.get(refused["Location"]))
    assert ("Not approved" in told, "contentHash" in told, "Other words." in told) == (True, False, True)
    for wrong in ("x" * 91, 5):
        assert cast.session.post(f"/genie/{run}/approve-all", {"contentHash": wrong}).status == 400
    for wrong in (f"{'0' * 64}-{'f' * 20}", "-", "0-x"):
        assert cast.session.post(f"/genie/{run}/approve-all", {"contentHash": wrong}).status == 409
