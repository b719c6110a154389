"""What people are told of runs and senders."""

from __future__ import annotations

import pytest
from django.utils import timezone

from accounts.models import Mail
from core.jobs import run_due_tasks, sweep
from core.models import TaskSchedule
from core.tenancy import unscoped
from outreach.messaging.delivery.limits.pauses import pause_after_failure, reset_failures
from outreach.models import GenieScheduler, SendJob, Smtp
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import SmtpFactory
from tests.kit.periodic import only
from tests.kit.threads import at_once
from tests.outreach.helpers import Post, planned, work


def mails(kind: str = "notice") -> list[Mail]:
    """Queued mails of all companies, the oldest first."""
    with unscoped(reason="test: mails of everybody"):
        return list(Mail.objects.filter(kind__startswith=kind).order_by("created_at", "id"))


@pytest.fixture(autouse=True)
def _tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "outreach.finished_runs", "outreach.stopped_follow_ups", "outreach.lapsed_approvals")


def run_all_tasks() -> None:
    """Make the periodic tasks of runs due, and run them."""
    TaskSchedule.objects.update(due_at=timezone.now())
    run_due_tasks()


def test_a_run_tells_that_drafts_wait_and_that_it_has_ended(cast: Cast, post: Post) -> None:
    run = planned(cast, 3, draft=True)
    (mail,) = mails()
    assert (mail.kind, mail.to) == ("notice_run_planned", cast.owner.email)
    assert mail.subject == "3 messages of “Invite them to our open day” need approval"
    run_all_tasks()
    assert len(mails()) == 1
    cast.key.post(f"/genie/{run}/approve-all")
    run_all_tasks()
    assert len(mails()) == 1
    work("send")
    assert len(post.server.received) == 3
    run_all_tasks()
    run_all_tasks()
    (mail,) = mails("notice_run_finished")
    assert (mail.subject, mail.to) == ("Invite them to our open day: 3 messages sent", cast.owner.email)
    assert "Sent: 3\nFailed: 0\nDelivery unknown: 0\nSkipped: 0" in mail.text
    with cast.scope():
        assert GenieScheduler.objects.get().concluded_at is not None


def test_a_cancelled_run_and_one_without_drafts_say_nothing(cast: Cast, post: Post) -> None:
    run = planned(cast, 2)
    assert mails() == []
    cast.key.post(f"/genie/{run}/cancel")
    run_all_tasks()
    assert mails() == []


def test_finished_runs_are_told_by_what_the_company_wants(cast: Cast, post: Post) -> None:
    cast.key.put("/settings", {"notificationSettings": {"run.finished": {"email": False}}})
    planned(cast, 1)
    work("send")
    run_all_tasks()
    with cast.scope():
        assert GenieScheduler.objects.get().concluded_at is not None
        assert SendJob.objects.get().status == "sent"
    assert mails() == []


def test_a_run_that_cannot_be_planned_is_told(cast: Cast, post: Post) -> None:
    planned(cast, 1)
    with cast.scope():
        run = GenieScheduler.objects.get()
        GenieScheduler.objects.filter(pk=run.pk).update(status="running", worker=2**30, deaths=9)
    sweep()
    assert [mail.kind for mail in mails()] == ["notice_run_failed"]


def test_a_sender_that_fails_again_is_told_to_the_owners_once(cast: Cast) -> None:
    with cast.scope():
        smtp = SmtpFactory(host="mail.example.net")
        pause_after_failure(sender=smtp, detail="535 5.7.8 wrong password")
        assert mails() == []
        pause_after_failure(sender=smtp, detail="535 5.7.8 <b>wrong</b> password")
        pause_after_failure(sender=smtp, detail="421 busy")
        shown = Smtp.objects.get()
    assert (shown.failures, shown.last_error, shown.paused_reason) == (3, "421 busy", "sender_trouble")
    (mail,) = mails()
    assert (mail.kind, mail.to, mail.subject) == (
        "notice_sender_failing",
        cast.owner.email,
        "The sender sender@example.com can't send",
    )
    assert "535 5.7.8 <b>wrong</b> password" in mail.text
    assert "535 5.7.8 &lt;b&gt;wrong&lt;/b&gt; password" in mail.html
    assert "secret" not in mail.text + mail.html
    with cast.scope():
        reset_failures(smtp)
        for _ in range(2):
            pause_after_failure(sender=smtp, detail="421 busy")
    assert len(mails()) == 2


@pytest.mark.django_db(transaction=True)
def test_failures_at_once_are_all_counted_and_told_once() -> None:
    cast = make_cast()
    with cast.scope():
        smtp = SmtpFactory()
    at_once(6, cast.company.pk, lambda number: pause_after_failure(sender=smtp, detail=f"trouble {number}"))
    with cast.scope():
        assert Smtp.objects.get().failures == 6
    assert len(mails()) == 1
