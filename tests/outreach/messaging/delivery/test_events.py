"""Each sent mail emits one event, in the transaction in which its message becomes sent."""

from __future__ import annotations

import pytest
from django.db import transaction
from django.utils import timezone

from core.events import deliver
from core.models import Event, EventDelivery
from crm.models import LeadActivity
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.sending.claims import claim
from outreach.models import SendJob
from tests.kit.cast import Cast
from tests.kit.factories import LeadFactory
from tests.kit.sending import commit_intent
from tests.outreach.helpers import Post, planned, work
from tests.workflows.helpers import edges, node, published, runs


def test_each_sent_message_emits_an_event_and_becomes_an_activity_of_its_contact(cast: Cast, post: Post) -> None:
    run = planned(cast, 3)
    with cast.scope():
        first = SendJob.objects.order_by("pk").first()
        assert first is not None
        lead = LeadFactory(contact=first.contact)
    work("send")
    with cast.scope():
        jobs = {job.pk: job for job in SendJob.objects.all()}
        told = {event.object_id: event for event in Event.objects.filter(kind="mail.sent")}
        assert set(told) == set(jobs)
        assert len(jobs) == Event.objects.filter(kind="mail.sent").count() == 3
        for id, job in jobs.items():
            assert told[id].payload == {"contact": job.contact_id, "subject": job.subject, "run": run}
    deliver()
    with cast.scope():
        rows = list(LeadActivity.objects.filter(kind="mail"))
        assert {row.contact_id for row in rows} == {job.contact_id for job in jobs.values()}
        assert all(row.lead_id is None and row.member_id is None for row in rows)
    (own,) = cast.key.get(f"/contact/{lead.contact_id}/timeline", kind="mail").data
    assert own["data"].items() >= {"event": "sent", "message": first.pk, "subject": first.subject}.items()
    assert own["title"] == f"Email sent: {first.subject}"


def test_a_message_that_was_not_sent_is_not_told_of(cast: Cast, post: Post) -> None:
    planned(cast, 1)
    post.server.at["rcpt"] = "550 5.1.1 no such user"
    work("send")
    with cast.scope():
        assert SendJob.objects.get().status == "failed"
        assert not Event.objects.filter(kind="mail.sent").exists()
        assert not LeadActivity.objects.filter(kind="mail").exists()


def test_a_step_that_is_refused_or_rolled_back_tells_nothing(cast: Cast, post: Post) -> None:
    planned(cast, 1)
    with cast.scope():
        [job] = claim(post.smtp.pk).jobs
        assert commit_intent(job, recipient=job.contact.email or "")
        stolen, job.lease = job.lease, "0" * 24
        assert not ledger.transition(job, to="sent", sent_at=timezone.now())
        job.lease = stolen
        with transaction.atomic():
            assert ledger.transition(job, to="sent", sent_at=timezone.now())
            assert Event.objects.filter(kind="mail.sent").count() == 1
            transaction.set_rollback(True)
        job.refresh_from_db()
        assert (job.status, Event.objects.filter(kind="mail.sent").count()) == ("sending", 0)
        assert ledger.transition(job, to="unknown", reason="uncertain", worker=None)
        assert job.sending_at is not None
        for _ in range(2):
            ledger.record_late_outcome(job, to="sent", sending_at=job.sending_at, detail="queued")
        assert Event.objects.get(kind="mail.sent").object_id == job.pk


@pytest.mark.parametrize("waits", [True, False])
def test_workflows_that_wait_for_sent_mails_are_told_of_them(cast: Cast, post: Post, waits: bool) -> None:
    kind = "mail.sent" if waits else "contact.created"
    workflow = published(cast, [node("t", "trigger"), node("end", "stop")], edges("t > end"), triggerEventType=kind)
    planned(cast, 2)
    work("send")
    with cast.scope():
        told = EventDelivery.objects.filter(event__kind="mail.sent", consumer="workflows")
        assert told.count() == (2 if waits else 0)
    deliver()
    assert len(runs(cast, workflow)) == (2 if waits else 0)
