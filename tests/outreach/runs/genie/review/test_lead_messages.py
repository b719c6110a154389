"""GET /genie/leads/:leadId/pending-approvals and send-counts, POST /genie/leads/:leadId/approve-all and draft-all."""

from __future__ import annotations

from typing import Any

from outreach.models import SendJob
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory
from tests.outreach.helpers import Post, work

START = "/genie/from-contacts"


def drafted(cast: Cast, **body: Any) -> str:
    answer = cast.key.post(START, {"prompt": "Invite them to our open day", "draft": True, **body})
    assert answer.status == 201, answer.body
    work("genie")
    return str(answer.data["_id"])


def test_a_leads_messages_are_counted_approved_and_held(cast: Cast, post: Post) -> None:
    with cast.scope():
        contact = ContactFactory(custom={})
        one, other = (LeadFactory(contact=contact, status=status).pk for status in ("new", "won"))
        stranger = LeadFactory().pk
    named = drafted(cast, leadIds=[one])
    free = drafted(cast, contactIds=[contact.pk])
    cancelled = drafted(cast, contactIds=[contact.pk])
    cast.key.post(f"/genie/{cancelled}/cancel")

    found = cast.key.get(f"/genie/leads/{one}/pending-approvals").data
    assert (found["pendingCount"], found["unprovedCount"], found["status"]) == (2, 0, "draft")
    assert {row["run"]["_id"] for row in found["pending"]} == {named, free}
    assert cast.session.get(f"/genie/leads/{other}/pending-approvals").data["pendingCount"] == 1
    assert cast.key.get(f"/genie/leads/{stranger}/pending-approvals").data == {
        "pendingCount": 0,
        "unprovedCount": 0,
        "pending": [],
    }

    with cast.scope():  # something that nothing proves is left to be approved by itself
        SendJob.objects.filter(run_id=free).update(evidence=[{"part": "text", "text": "x", "source": ""}])
    approved = cast.session.post(f"/genie/leads/{one}/approve-all")
    assert (approved.data["changedCount"], approved.data["leftCount"], approved.data["status"]) == (1, 1, "approved")
    assert "is not proved" in approved.body["warning"]
    held = cast.session.post(f"/genie/leads/{one}/draft-all").data
    assert (held["changedCount"], held["run"]["_id"], held["approvedAt"]) == (1, named, None)
    assert cast.session.post(f"/genie/leads/{other}/approve-all").data["changedCount"] == 0

    # An approval holds for the address that it was given for.
    cast.session.post(f"/genie/leads/{one}/approve-all")
    cast.key.put(f"/contact/{contact.pk}", {"formData": {"email": "elsewhere@example.org"}})
    work("send")
    assert not post.server.received
    left = cast.session.post(f"/genie/leads/{one}/approve-all")
    assert (left.data["changedCount"], left.data["leftCount"], left.data["outdatedCount"]) == (0, 2, 1)
    with cast.scope():
        outdated = SendJob.objects.get(reason="approval_outdated").pk
    assert cast.session.post(f"/genie/send-jobs/{outdated}/approve").status == 200
    work("send")
    counts = cast.key.get(f"/genie/leads/{one}/send-counts").data
    assert (counts["counts"]["sent"], counts["counts"]["draft"], counts["total"]) == (1, 1, 3)
    assert (counts["status"], counts["lastSentAt"] is not None) == ("sent", True)
    assert cast.key.get(f"/genie/leads/{other}/send-counts").data["counts"]["sent"] == 0


def test_other_companies_and_missing_leads_are_not_found(cast: Cast, post: Post) -> None:
    with (other := make_cast()).scope():
        foreign = LeadFactory().pk
    for lead in (foreign, "0" * 24):
        for method, action in (
            ("get", "pending-approvals"),
            ("get", "send-counts"),
            ("post", "approve-all"),
            ("post", "draft-all"),
        ):
            answer = getattr(cast.key, method)(f"/genie/leads/{lead}/{action}")
            assert (answer.status, answer.body["warning"]) == (
                404,
                "leadId: there is no such lead in this company",
            )
    assert other.key.get(f"/genie/leads/{foreign}/send-counts").data["total"] == 0
