"""What people are told of outreach runs and senders."""

from __future__ import annotations

from django.utils import timezone

from accounts.members.notices import Notice, notify, register_notice
from core.tenancy import company_scope
from outreach.delivery.models import SendJob
from outreach.genie.models import GenieScheduler
from outreach.genie.selectors import phase
from outreach.genie.services import summary

PLANNED = Notice("run.planned", "The messages of a run of yours wait for approval", "notice_run_planned")
FAILED = Notice("run.failed", "A run of yours could not be planned", "notice_run_failed")
FINISHED = Notice("run.finished", "All messages of a run of yours have come to an end", "notice_run_finished")
SENDER_FAILING = Notice("sender.failing", "An SMTP sender fails and rests", "notice_sender_failing")
for notice in (PLANNED, FAILED, FINISHED, SENDER_FAILING):
    register_notice(notice)

RUNS_A_PIECE = 100


def notify_ended(run: GenieScheduler) -> None:
    """Tell who started the run that its planning is done and drafts wait, or that it failed; in the transaction of that."""
    if run.is_deleted or run.cancelled_at is not None:
        return
    if run.status == GenieScheduler.Status.FAILED:
        notify(FAILED.key, {"run": run}, members=[run.created_by])
    elif run.status == GenieScheduler.Status.COMPLETED:
        drafts = SendJob.objects.filter(run=run, status=SendJob.Status.DRAFT).count()
        if drafts:
            notify(PLANNED.key, {"run": run, "drafts": drafts}, members=[run.created_by])


def tell_finished() -> bool:
    """Mark the runs whose last message has come to an end, and tell who started them, once; True when there may be more."""
    runs = list(
        GenieScheduler.objects.select_for_update(skip_locked=True, of=("self",))
        .annotate(phase=phase())
        .filter(status=GenieScheduler.Status.COMPLETED, concluded_at=None, cancelled_at=None, is_deleted=False)
        .filter(phase=GenieScheduler.Phase.COMPLETED)
        .order_by("pk")[:RUNS_A_PIECE]
    )
    for run in runs:
        with company_scope(run.company_id):
            GenieScheduler.objects.filter(pk=run.pk).update(concluded_at=timezone.now())
            notify(FINISHED.key, {"run": run, "counts": summary(run.pk)["counts"]}, members=[run.created_by])
    return len(runs) == RUNS_A_PIECE
