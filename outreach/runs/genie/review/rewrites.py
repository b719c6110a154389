"""Rewriting of messages: one draft with a hint, or those whose content could not be created.

They are planned again, and the worker of their run writes them. Their AI app, its budgets and the recovery from a
killed worker are as for new ones. A draft keeps its content until it has new content, and becomes a draft again in any
case.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.errors import NamedError
from core.jobs import notify_workers
from outreach.connections.ai.services import choose_ai_app, provider_for
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery import services as delivery
from outreach.messaging.delivery.deciding.reasons import Reason
from outreach.messaging.delivery.models import SendJob
from outreach.runs.genie.cadence.steps import steps_of
from outreach.runs.genie.locks import lock_run
from outreach.runs.genie.models import GenieScheduler

Status = SendJob.Status
WORDLESS = ("compose_failed", "variable_missing")
UNWRITTEN = Q(status=Status.FAILED, text="", reason__in=WORDLESS)
"""Messages whose content could not be created."""
FROM_TEMPLATE = (
    "its words are those of a template, and no AI app writes them; edit the draft (PUT"
    " /genie/send-jobs/:sendJobId) instead"
)


@transaction.atomic
def regenerate(*, message_id: str, member_id: str, hint: str = "", content_hash: str | None = None) -> str:
    """Let the run's AI app rewrite a draft by `hint`. A repeated request has no further effect.

    Returns the parts of the hint that the app cannot follow, or "". Raises NotFound_404, MessageChanged_409 when
    `content_hash` is that of other content, and the errors of the AI app.

    Raises CampaignCannotBeUpdated_400 for a message that is neither a draft nor failed without content. It also raises
    it for one from a template, or one of a cancelled run.
    """
    run_id = SendJob.objects.filter(pk=message_id).values_list("run_id", flat=True).first()
    # The run before the message, as everywhere.
    run = lock_run(run_id) if run_id else None
    job = delivery.lock_message(message_id, Status.DRAFT, Status.PLANNED, Status.FAILED)
    if run is None or not _writes(run):
        raise NamedError("CampaignCannotBeUpdated_400", "its run writes nothing any more", field="sendJobId")
    if job.status == Status.PLANNED:
        # The repeated request of a client that got no answer.
        if job.reason == Reason.WRITTEN_ANEW and job.hint == hint:
            return provider_for(choose_ai_app(run.ai_type)).hint_warning(hint)
        raise NamedError("CampaignCannotBeUpdated_400", "the message is being written", field="sendJobId")
    if job.status == Status.FAILED and job.reason not in WORDLESS:
        raise NamedError(
            "CampaignCannotBeUpdated_400", "it failed for another reason than its words", field="sendJobId"
        )
    step = steps_of(run.outreach_cadence).get(job.step)
    from_template = step is not None and step.content is not None and (job.text or hint)
    of_workflow = run.of_workflow and not run.prompt
    # Texts of people and of templates are not written by an app, so it cannot write them again.
    if job.variant is not None or from_template or of_workflow:
        raise NamedError("CampaignCannotBeUpdated_400", FROM_TEMPLATE, field="sendJobId")
    delivery.require_unchanged(job, content_hash, "written anew")
    app = choose_ai_app(run.ai_type)
    rewrite_messages(SendJob.objects.filter(pk=job.pk), member_id, hint=hint)
    # In the same transaction, under the run's lock: its worker cannot end it without seeing the message.
    reopen(run)
    return provider_for(app).hint_warning(hint)


def rewrite_messages(rows: QuerySet[SendJob], member_id: str | None, *, hint: str = "") -> int:
    """Plan the messages again. Returns how many; their runs are to be reopened in the same transaction."""
    return ledger.transition_all(
        rows,
        to=Status.PLANNED,
        reason=Reason.WRITTEN_ANEW,
        detail=hint,
        actor_id=member_id,
        updated_by_id=member_id,
        hint=hint,
        attempts=0,
        deaths=0,
        due_at=timezone.now(),
        error="",
        approval_ends_at=None,
    )


def retry(rows: QuerySet[SendJob], member_id: str | None) -> int:
    """Approve failed messages again, and rewrite those without content. Return their number."""
    run = GenieScheduler.objects.filter(pk__in=rows.order_by().values("run_id")[:1]).first()
    if run is None:
        return 0
    rewritten = rewrite_messages(rows.filter(UNWRITTEN), member_id) if _writes(run) else 0
    if rewritten:
        reopen(run)
    return rewritten + delivery.retry(rows, member_id)


def _writes(run: GenieScheduler) -> bool:
    """Return whether a run still writes messages, or can be reopened to do so."""
    open_to = (GenieScheduler.Status.QUEUED, GenieScheduler.Status.RUNNING, GenieScheduler.Status.COMPLETED)
    return run.cancelled_at is None and not run.is_deleted and run.status in open_to


def reopen(run: GenieScheduler) -> None:
    """Reopen a locked run for its worker to write waiting messages, even if it had ended; its audience stays."""
    now, rows = timezone.now(), GenieScheduler.objects.filter(pk=run.pk)
    # The run had ended, so a late write of its last worker must not count.
    reopened = {"status": GenieScheduler.Status.QUEUED, "rewriting": True, "attempts": 0, "lease": None, "worker": None}
    if not rows.filter(status=GenieScheduler.Status.QUEUED).update(due_at=now, updated_at=now):
        rows.filter(status=GenieScheduler.Status.COMPLETED).update(due_at=now, updated_at=now, **reopened)
    notify_workers("genie")
