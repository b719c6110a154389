"""From a run to a real SMTP server, and what becomes of each message there."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from billing.models import Subscription
from core.jobs import LeaseLost, sweep
from core.tenancy import company_scope, unscoped
from crm.models import Contact
from outreach.connections.smtp.transport import Sent
from outreach.messaging.delivery.senders import open_session
from outreach.messaging.delivery.sending import claims, intents, worker
from outreach.messaging.delivery.sending import loop as sending
from outreach.messaging.delivery.sending.claims import claim
from outreach.messaging.delivery.sending.parts import MailParts
from outreach.models import GenieScheduler, SendJob, SendJobTransition, Smtp, Suppression
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.kit.sending import commit_intent, send_one
from tests.kit.smtp_server import DROP
from tests.outreach.helpers import Post, planned, statuses, work


def steps(job: SendJob) -> list[tuple[str, str, str]]:
    return list(
        SendJobTransition.objects.filter(send_job=job)
        .order_by("created_at", "id")
        .values_list("from_status", "to_status", "reason")
    )


def test_a_run_reaches_the_mail_server_once_each(cast: Cast, post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "SECONDS_A_SENDER", 300.0)  # a slow machine takes longer than a sender's turn
    run = planned(cast, 60)
    assert statuses(cast, run) == {"approved": 60}
    work("send")
    assert statuses(cast, run) == {"sent": 60}
    assert len(post.server.received) == len(set(post.message_ids())) == 60
    with cast.scope():
        emails = set(Contact.objects.values_list("email", flat=True))
        job = SendJob.objects.filter(run_id=run).first()
        assert job is not None
        assert steps(job) == [
            ("", "planned", ""),
            ("planned", "approved", ""),
            ("approved", "claimed", ""),
            ("claimed", "sending", ""),
            ("sending", "sent", ""),
        ]
        assert (job.reply, job.message_id) == ("2.0.0 queued", f"<{job.pk}@example.com>")
        assert job.worker is None
        assert job.sent_at is not None
    assert set(post.recipients()) == emails
    assert post.server.connections == 1
    work("send")
    assert len(post.server.received) == 60


def test_every_mail_has_both_parts_and_one_click_unsubscribe(cast: Cast, post: Post) -> None:
    planned(cast, 1)
    work("send")
    [mail] = post.server.received
    head = mail.partition(b"\r\n\r\n")[0].decode()
    assert f"List-Id: {cast.company.name} <{cast.company.pk}.example.com>" in head
    assert "List-Unsubscribe-Post" not in head  # BASE_URL is no https
    assert "/api/public/unsubscribe/" in head
    assert "From: Sender <sender@example.com>" in head
    assert b"Content-Type: text/plain" in mail
    assert b"Content-Type: text/html" in mail


def test_a_temporary_refusal_is_tried_again_later_and_given_up_after_five(cast: Cast, post: Post) -> None:
    run = planned(cast, 1)
    post.server.at["rcpt"] = "451 4.2.0 mailbox busy"
    for attempt in range(1, 6):
        work("send")
        with cast.scope():
            job = SendJob.objects.get(run_id=run)
            assert job.attempts == attempt
            assert job.status == ("approved" if attempt < 5 else "failed")
            if attempt < 5:
                assert job.reason == "retry_backoff"
                assert job.due_at > timezone.now() + timedelta(seconds=60)
                SendJob.objects.filter(pk=job.pk).update(due_at=timezone.now())
    assert (job.reason, job.reply) == ("attempts_exhausted", "451 4.2.0 mailbox busy")
    assert job.refused_at is not None
    assert post.server.received == []


def test_a_dead_mailbox_fails_at_once_and_is_never_written_to_again(cast: Cast, post: Post) -> None:
    run = planned(cast, 1)
    post.server.at["rcpt"] = "550 5.1.1 no such user"
    work("send")
    with cast.scope():
        job = SendJob.objects.select_related("contact").get(run_id=run)
        assert (job.status, job.reason, job.sending_at) == ("failed", "bad_address", None)
        listed = Suppression.objects.get()
        assert (listed.email, listed.reason, listed.source) == (job.contact.email, "bounced", job.pk)


def test_a_refusal_after_the_end_is_certain_and_repeated(cast: Cast, post: Post) -> None:
    run = planned(cast, 1)
    post.server.at["final"], post.server.times["final"] = "452 4.3.1 disk full", 1
    work("send")
    with cast.scope():
        job = SendJob.objects.get(run_id=run)
        assert (job.status, job.attempts, job.sending_at) == ("approved", 1, None)
        SendJob.objects.filter(pk=job.pk).update(due_at=timezone.now())
    work("send")
    assert statuses(cast, run) == {"sent": 1}


def test_silence_after_the_end_is_unknown_and_never_sent_again_by_itself(cast: Cast, post: Post) -> None:
    run = planned(cast, 1)
    post.server.at["final"], post.server.times["final"] = DROP, 1
    work("send")
    assert statuses(cast, run) == {"unknown": 1}
    work("send")
    assert len(post.server.received) == 1
    assert cast.key.post(f"/genie/{run}/retry-failed", {}).data == {"changedCount": 0}
    assert statuses(cast, run) == {"unknown": 1}
    assert cast.key.post(f"/genie/{run}/retry-failed", {"unknown": True}).data["changedCount"] == 1
    work("send")
    assert statuses(cast, run) == {"sent": 1}
    assert len(set(post.message_ids())) == 1
    assert len(post.server.received) == 2


def test_a_senders_trouble_makes_it_rest_and_costs_no_message_an_attempt(cast: Cast, post: Post) -> None:
    run = planned(cast, 3)
    post.server.at["mail"] = "421 4.7.0 too many messages"
    work("send")
    assert statuses(cast, run) == {"approved": 3}
    with cast.scope():
        smtp = Smtp.objects.get()
        assert (smtp.failures, smtp.paused_reason) == (1, "sender_trouble")
        assert "too many messages" in smtp.last_error
        assert smtp.paused_until > timezone.now() + timedelta(seconds=60)
        assert set(SendJob.objects.values_list("attempts", flat=True)) == {0}
        job = SendJob.objects.first()
    shown = cast.key.get(f"/genie/send-jobs/{job.pk}").data["decision"]
    assert (shown["state"], shown["reason"]) == ("wait", "sender_trouble")
    work("send")
    assert post.server.connections == 2  # the session and its one fresh try, and none while it rests
    del post.server.at["mail"]
    with cast.scope():
        Smtp.objects.update(paused_until=timezone.now())
    work("send")
    assert statuses(cast, run) == {"sent": 3}
    with cast.scope():
        assert Smtp.objects.values_list("failures", "last_error").get() == (0, "")


def test_an_unreachable_server_makes_the_sender_rest(cast: Cast, post: Post) -> None:
    run = planned(cast, 2)
    with cast.scope():
        post.smtp.port, post.smtp.password = 1, "päss wörd"
        post.smtp.save()
    work("send")
    assert statuses(cast, run) == {"approved": 2}
    with cast.scope():
        assert "Nothing takes connections" in Smtp.objects.get().last_error


def test_what_changed_after_planning_stops_the_message(cast: Cast, post: Post) -> None:
    run = planned(cast, 6)
    with cast.scope():
        a, b, c, d, e, f = SendJob.objects.filter(run_id=run).select_related("contact").order_by("id")
        Contact.objects.filter(pk=a.contact_id).update(unsubscribed_at=timezone.now())
        Suppression.objects.create(email=b.contact.email.lower(), reason="manual")
        Contact.objects.filter(pk=c.contact_id).update(is_deleted=True)
        Contact.objects.filter(pk=d.contact_id).update(replied_at=timezone.now())
        Contact.objects.filter(pk=e.contact_id).update(email=None, email_key=None)
        work("send")
        ended = {job.pk: (job.status, job.reason) for job in SendJob.objects.filter(run_id=run)}
    assert ended == {
        a.pk: ("suppressed", "unsubscribed"),
        b.pk: ("suppressed", "address_suppressed"),
        c.pk: ("cancelled", "contact_deleted"),
        d.pk: ("cancelled", "reply_received"),
        e.pk: ("failed", "no_valid_address"),
        f.pk: ("sent", ""),
    }
    assert post.recipients() == [f.contact.email]


def test_nothing_goes_to_whom_or_from_whom_it_was_not_approved_for(cast: Cast, post: Post) -> None:
    run = planned(cast, 5)
    with cast.scope():
        address, name, legacy, same, claimed = SendJob.objects.filter(run_id=run).order_by("id")
        Contact.objects.filter(pk=address.contact_id).update(email="new@example.net", email_key="new@example.net")
        Contact.objects.filter(pk=name.contact_id).update(name="Somebody Else")
        Contact.objects.filter(pk=legacy.contact_id).update(email="other@example.net", email_key="other@example.net")
        SendJob.objects.filter(pk__in=[legacy.pk, same.pk]).update(approved_envelope="")  # by a version before
    shown = cast.key.get(f"/genie/send-jobs/{address.pk}").data
    assert (shown["recipient"], shown["decision"]["reason"]) == ("new@example.net", "approval_outdated")
    with cast.scope():
        jobs = claim(post.smtp.pk).jobs
        assert {job.pk for job in jobs} == {same.pk, claimed.pk}
        Contact.objects.filter(pk=claimed.contact_id).update(email="third@example.net", email_key="third@example.net")
        with closing(open_session(post.smtp)) as session:
            assert [send_one(session, job) for job in jobs] == [job.pk == same.pk for job in jobs]
    work("send")
    assert statuses(cast, run) == {"draft": 4, "sent": 1}
    assert post.recipients() == [same.recipient]
    drafts = cast.key.get("/genie/send-jobs", run=run, filters={"status": "draft"}).data
    assert {(one["reason"], one["approvedAt"]) for one in drafts} == {("approval_outdated", None)}
    assert cast.key.get("/genie/send-jobs", filters={"recipient": "NEW@example.net"}).data[0]["_id"] == address.pk
    left = cast.key.post(f"/genie/{run}/approve-all").data
    assert [left[name] for name in ("changedCount", "leftCount", "outdatedCount")] == [0, 4, 4]
    for one in drafts:
        approved = cast.key.post(f"/genie/send-jobs/{one['_id']}/approve", {"contentHash": one["contentHash"]})
        assert approved.status == 200
    work("send")
    assert statuses(cast, run) == {"sent": 5}
    assert {"new@example.net", "other@example.net", "third@example.net"} < set(post.recipients())


def test_connections_ask_the_database_for_nothing_of_a_claimed_message(
    cast: Cast, post: Post, django_assert_num_queries: Any
) -> None:
    planned(cast, 1)
    with cast.scope():
        parts = MailParts(post.smtp)
        [job] = claim(post.smtp.pk).jobs
        parts.prepare([job])
        with django_assert_num_queries(0):
            mail = parts.mail_of(job, job.contact.email or "")
            intents.mark_intent_committed(
                job, intents.intent_of(job, recipient=mail.to_email, message_id="<x@example.com>")
            )
            intents.settle_parameters(job, Sent("250 ok"))
            assert job.is_as_approved


def test_who_has_messages_due_is_asked_of_the_first_message_of_each_sender(cast: Cast, post: Post) -> None:
    planned(cast, 2)
    with CaptureQueriesContext(connection) as asked:
        assert claims.due_senders(5) == [(post.smtp.pk, cast.company.pk)]
    of_servers, *_of_others = [one["sql"] for one in asked.captured_queries if "outreach_sendjob" in one["sql"]]
    with unscoped(reason="its plan"), connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {of_servers}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "SubPlan" in plan
    assert "Join" not in plan, "a join reads all messages that are due"


def test_an_unsubscription_after_the_claim_still_stops_the_message(cast: Cast, post: Post) -> None:
    run = planned(cast, 1)
    with cast.scope():
        claimed = claim(post.smtp.pk)
        assert [job.status for job in claimed.jobs] == ["claimed"]
        Contact.objects.update(unsubscribed_at=timezone.now())
        with closing(open_session(post.smtp)) as session:
            assert send_one(session, claimed.jobs[0]) is False
        assert SendJob.objects.get(run_id=run).status == "approved"
    work("send")
    assert post.server.received == []
    assert statuses(cast, run) == {"suppressed": 1}


def test_a_lost_lease_sends_nothing(cast: Cast, post: Post) -> None:
    run = planned(cast, 1)
    with cast.scope():
        [job] = claim(post.smtp.pk).jobs
        SendJob.objects.update(status="approved", lease=None, worker=None)
        with closing(open_session(post.smtp)) as session, pytest.raises(LeaseLost):
            send_one(session, job)
        assert SendJob.objects.get(run_id=run).status == "approved"
    assert post.server.received == []


def test_news_that_come_after_the_sweeper_are_kept(cast: Cast, post: Post) -> None:
    planned(cast, 1)
    with cast.scope():
        [job] = claim(post.smtp.pk).jobs
        assert commit_intent(job, recipient=job.contact.email or "")
        SendJob.objects.update(status="unknown", lease=None, worker=None)
        with pytest.raises(LeaseLost):
            worker.record_outcome(job, Sent("2.0.0 queued"))
        assert SendJob.objects.get().status == "sent"


def test_a_lapsed_subscription_sends_nothing(cast: Cast, post: Post) -> None:
    run = planned(cast, 1)
    with cast.scope():
        Subscription.objects.update(status="expired")
    work("send")
    assert statuses(cast, run) == {"approved": 1}
    assert post.server.received == []
    with cast.scope():
        assert Smtp.objects.get().paused_reason == "subscription_lapsed"


def test_an_unverified_or_inactive_sender_sends_nothing(cast: Cast, post: Post) -> None:
    run = planned(cast, 1)
    for change in ({"verified": False}, {"verified": True, "is_active": False}):
        with cast.scope():
            Smtp.objects.update(**change)
        work("send")
        assert statuses(cast, run) == {"approved": 1}
    assert post.server.connections == 0


def test_a_cancelled_runs_claimed_message_is_not_sent(cast: Cast, post: Post) -> None:
    run = planned(cast, 3)
    with cast.scope():
        claimed = claim(post.smtp.pk)
        GenieScheduler.objects.update(cancelled_at=timezone.now())
        with closing(open_session(post.smtp)) as session:
            for job in claimed.jobs:
                assert send_one(session, job) is False
    work("send")
    assert post.server.received == []
    assert statuses(cast, run) == {"cancelled": 3}


def test_what_this_process_lost_sight_of_is_freed(cast: Cast, post: Post) -> None:
    run = planned(cast, 2)
    with cast.scope():
        claimed = claims.claim(post.smtp.pk)
        SendJob.objects.filter(pk=claimed.jobs[0].pk).update(status="sending", sending_at=timezone.now())
    claims._held.discard(claimed.lease)
    claims.release_lost_claims()
    assert Counter(statuses(cast, run)) == {"unknown": 1, "approved": 1}


def test_two_companies_keep_to_themselves(cast: Cast, outsiders: Cast, post: Post) -> None:
    run = planned(cast, 2)
    with company_scope(outsiders.company.pk):
        ContactFactory()
        assert SendJob.objects.count() == 0
    assert outsiders.key.get(f"/genie/{run}").status == 404
    assert outsiders.key.get("/genie/send-jobs").data == []
    work("send")
    assert statuses(cast, run) == {"sent": 2}


def test_the_sweeper_frees_what_a_dead_worker_held_and_writes_it_down(cast: Cast, post: Post) -> None:
    run = planned(cast, 4)
    with cast.scope():
        begun, claimed, poison, late = SendJob.objects.filter(run_id=run).order_by("id")
        dead = {"worker": 1, "lease": "0" * 24}
        SendJob.objects.filter(pk=begun.pk).update(status="sending", sending_at=timezone.now(), **dead)
        SendJob.objects.filter(pk=claimed.pk).update(status="claimed", **dead)
        SendJob.objects.filter(pk=poison.pk).update(status="claimed", deaths=9, **dead)
        SendJob.objects.filter(pk=late.pk).update(status="sending", deaths=9, sending_at=timezone.now(), **dead)
    assert sweep() == 4
    with cast.scope():
        found = {job.pk: (job.status, job.reason) for job in SendJob.objects.filter(run_id=run)}
        assert found == {
            begun.pk: ("unknown", "worker_died"),
            claimed.pk: ("approved", ""),
            poison.pk: ("failed", "worker_died"),
            late.pk: ("unknown", "worker_died"),  # never failed, which could be sent again
        }
        assert steps(begun)[-1] == ("sending", "unknown", "worker_died")
        assert steps(poison)[-1] == ("claimed", "failed", "worker_died")
    work("send")
    assert statuses(cast, run) == {"unknown": 2, "failed": 1, "sent": 1}
