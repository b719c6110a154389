"""Notices about runs."""

from __future__ import annotations

from django.db.models import Count, Min
from django.utils import timezone

from accounts.members.notices import notify
from accounts.settings.notices import Notice
from core.tenancy import company_scope
from core.text.translation import gettext_lazy
from outreach.messaging.delivery.models import SendJob
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.selectors import message_summary, phase

PLANNED = Notice("run.planned", gettext_lazy("Messages need approval"), "notice_run_planned")
FAILED = Notice("run.failed", gettext_lazy("Outreach could not be prepared"), "notice_run_failed")
FINISHED = Notice("run.finished", gettext_lazy("Outreach completed"), "notice_run_finished")

BATCH = 100


def notify_ended(run: GenieScheduler) -> None:
    """Notify the member who started the run that drafts wait or that planning failed, in the ending transaction."""
    if run.status == GenieScheduler.Status.FAILED:  # it recurs again when somebody resumes it
        GenieScheduler.objects.filter(pk=run.pk).update(next_occurrence_at=None)
    if run.is_deleted or run.cancelled_at is not None:
        return
    if run.status == GenieScheduler.Status.FAILED:
        notify(FAILED.key, {"run": run}, members=[run.created_by], about=run.about)
    elif run.status == GenieScheduler.Status.COMPLETED:
        waiting = SendJob.objects.filter(run=run, status=SendJob.Status.DRAFT)
        drafts, oldest = waiting.aggregate(number=Count("pk"), oldest=Min("created_at")).values()
        # Follow-ups are added one by one. A member who was notified of waiting drafts is not notified of each new one.
        if drafts and (run.told_at is None or oldest > run.told_at):
            GenieScheduler.objects.filter(pk=run.pk).update(told_at=timezone.now())
            notify(PLANNED.key, {"run": run, "drafts": drafts}, members=[run.created_by], about=run.about)


def notify_finished() -> bool:
    """Mark runs whose last message has ended, and notify the members who started them.

    Returns whether more may wait.
    """
    runs = list(
        GenieScheduler.objects.select_for_update(skip_locked=True, of=("self",))
        .annotate(phase=phase())
        .filter(status=GenieScheduler.Status.COMPLETED, concluded_at=None, cancelled_at=None, is_deleted=False)
        .filter(phase=GenieScheduler.Phase.COMPLETED)
        .order_by("pk")[:BATCH]
    )
    for run in runs:
        with company_scope(run.company_id):
            GenieScheduler.objects.filter(pk=run.pk).update(concluded_at=timezone.now())
            notify(
                FINISHED.key,
                {"run": run, "counts": message_summary(run.pk)["counts"]},
                members=[run.created_by],
                about=run.about,
            )
    return len(runs) == BATCH
