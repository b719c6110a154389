"""Outreach runs: start, cancel, delete."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from accounts.settings.formats import formats_of
from core.access import reserve_quota
from core.errors import NamedError
from core.events import emit
from core.jobs import notify_workers
from core.tenancy import company_id
from outreach.ai.services import ai_type_of, choose_ai_app
from outreach.delivery.models import SendJob
from outreach.genie.audience import Audience
from outreach.genie.message_jobs import Action, Changed, change_messages, lock_run
from outreach.genie.models import GenieScheduler
from outreach.senders.services import choose_sender

NOT_CLAIMED = (SendJob.Status.PLANNED, SendJob.Status.DRAFT, SendJob.Status.APPROVED)
"""Statuses of messages that no worker has claimed and that can still be stopped."""


def get_run(run_id: str, *, lock: bool = False) -> GenieScheduler:
    """Return the company's run with this id, with `lock` locked (lock_run). Raises CampaignNotFound_404 when there is
    none."""
    found = lock_run(run_id) if lock else GenieScheduler.objects.filter(pk=run_id).first()
    if found is None or found.is_deleted:
        raise NamedError("CampaignNotFound_404", "schedulerId: there is no such run in this company")
    return found


@transaction.atomic
def start_run(
    *,
    member_id: str,
    audience: Audience,
    prompt: str = "",
    tone: str = "",
    ai_type: str | None = None,
    enrichment_enabled: bool = False,
    draft: bool = False,
    smtp: str | None = None,
    name: str = "",
    automation: bool = True,
) -> GenieScheduler:
    """Start a run for an existing audience. A worker plans its messages.

    Raises CampaignAudienceEmpty_400, PlanLimitExceeded_403, and the errors of AI app and sender.
    """
    if enrichment_enabled:
        raise NamedError("AppNotFound_400", "enrichmentEnabled: no enrichment app is connected; leave it false")
    app = choose_ai_app(ai_type)
    sender = choose_sender(smtp)
    if not audience.contacts().exists():
        raise NamedError(
            "CampaignAudienceEmpty_400", "contactIds, tags, categories: together they select no live contact"
        )
    reserve_quota("genie")
    run = GenieScheduler.objects.create(
        name=name
        or prompt.strip().split("\n")[0][:60]
        or f"Outreach of {formats_of(company_id()).date(timezone.now())}",
        prompt=prompt,
        tone=tone,
        ai_type=ai_type_of(app),
        audience=audience.as_json(),
        draft=draft,
        smtp=sender,
        automation=automation,
        created_by_id=member_id,
        updated_by_id=member_id,
    )
    emit(
        "genie.created",
        [run.pk],
        payloads={run.pk: {"name": run.name, "draft": draft}},
        actor_id=member_id,
        automation=automation,
    )
    notify_workers("genie")
    return run


@transaction.atomic
def cancel_run(*, run_id: str, member_id: str | None) -> Changed:
    """Stop planning and cancel the messages that have not been sent. No message goes from now on.

    A claimed message is stopped too, until its intent is committed. Cancelling twice changes nothing.
    """
    now = timezone.now()
    # Lock the run first: the planner's checkpoint waits for this transaction or the other way round, so that no message
    # is planned after the cancellation.
    run = get_run(run_id, lock=True)
    if run.cancelled_at is None:
        run.cancelled_at, run.cancel_requested = now, True
        if run.status in (GenieScheduler.Status.QUEUED, GenieScheduler.Status.PAUSED):
            run.status, run.finished_at = GenieScheduler.Status.CANCELLED, now
        run.updated_by_id = member_id
        run.save(
            update_fields=["cancelled_at", "cancel_requested", "status", "finished_at", "updated_by", "updated_at"]
        )
    return change_messages(run, Action.CANCEL_MESSAGES, NOT_CLAIMED, member_id)


@transaction.atomic
def delete_run(*, run_id: str, member_id: str) -> Changed:
    """Cancel messages that have not been sent, and hide the run. Its messages stay in the log."""
    cancelled = cancel_run(run_id=run_id, member_id=member_id)
    GenieScheduler.objects.filter(pk=run_id).update(is_deleted=True, updated_by_id=member_id, updated_at=timezone.now())
    emit("genie.deleted", [run_id], actor_id=member_id)
    return cancelled
