"""Outreach runs: start, cancel, delete."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.settings.formats import formats_of
from core.access import reserve_quota
from core.errors import NamedError
from core.events import emit
from core.jobs import notify_workers
from core.tenancy import company_id
from core.text.labels.words import headline
from core.types import JsonObject
from outreach.connections.ai.services import ai_type_of, choose_ai_app, notify_apps_changed
from outreach.connections.ai.usage import cap_of_run
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.senders import choose_sender, columns_of
from outreach.prospecting.enrichment.selectors import check_enrichment
from outreach.runs.genie.audience import Audience
from outreach.runs.genie.cadence.schedule import schedule_next
from outreach.runs.genie.generated.makers import cancel_makers, lock_makers
from outreach.runs.genie.locks import lock_run
from outreach.runs.genie.models import NAME_LENGTH, GenieScheduler
from outreach.runs.genie.queue import check_queue
from outreach.runs.genie.review.message_jobs import Action, Changed, change_messages

ENDED = (GenieScheduler.Status.COMPLETED, GenieScheduler.Status.FAILED)
NOT_CLAIMED = (SendJob.Status.PLANNED, SendJob.Status.DRAFT, SendJob.Status.APPROVED)
"""Statuses of messages that no worker has claimed and that can still be stopped."""


def get_run(run_id: str, *, lock: bool = False, of_campaign: bool = False) -> GenieScheduler:
    """Return the company's run with this id, with `lock` locked (lock_run). That of a campaign is changed through its
    campaign alone (`of_campaign`). Raises CampaignNotFound_404 when there is none."""
    run = lock_run(run_id) if lock else GenieScheduler.objects.filter(pk=run_id).first()
    if run is None or run.is_deleted or (run.of_campaign_id is not None) != of_campaign:
        raise NamedError("CampaignNotFound_404", "there is no such run in this company", field="schedulerId")
    return run


@transaction.atomic
def start_run(
    *,
    member_id: str,
    audience: Audience,
    prompt: str = "",
    tone: str = "",
    language: str = "",
    ai_type: str | None = None,
    enrichment_enabled: bool = False,
    draft: bool = False,
    smtp: str | None = None,
    mail_app: str | None = None,
    name: str = "",
    token_cap: int | None = None,
    cost_cap: Decimal | None = None,
    outreach_cadence: JsonObject | None = None,
    recurring: bool = False,
    interval_ms: int | None = None,
    automation: bool = True,
    track_opens: bool = True,
    track_clicks: bool = True,
) -> GenieScheduler:
    """Start a run for an existing audience. A worker plans its messages. Without caps it has the company's for runs.

    Raises CampaignAudienceEmpty_400, PlanLimitExceeded_403, and the errors of AI app and sender.
    """
    check_enrichment(enrichment_enabled)
    app = choose_ai_app(ai_type)
    sender = choose_sender(smtp or mail_app)
    # Asked before the count, which takes longer for large segments.
    if not audience.contacts().exists():
        raise NamedError(
            "CampaignAudienceEmpty_400",
            "choose others; no contact matches",
            field=("contactIds", "leadIds", "segments", "tags", "categories"),
            code="noRecipients",
        )
    # Passed as a function: without a limit of the plan nothing is counted.
    check_queue(audience.contacts().count)
    return insert_run(
        member_id=member_id,
        prompt=prompt,
        name=name,
        token_cap=token_cap,
        cost_cap=cost_cap,
        automation=automation,
        tone=tone,
        ai_type=ai_type_of(app),
        audience=audience.as_json(),
        enrichment_enabled=enrichment_enabled,
        draft=draft,
        **columns_of(sender),
        language=language,
        outreach_cadence=outreach_cadence or {},
        recurring=recurring,
        interval_ms=interval_ms,
        track_opens=track_opens,
        track_clicks=track_clicks,
    )


def insert_run(
    *,
    member_id: str,
    prompt: str,
    name: str,
    token_cap: int | None,
    cost_cap: Decimal | None,
    recurring: bool,
    interval_ms: int | None,
    automation: bool,
    **columns: Any,
) -> GenieScheduler:
    """Insert a checked run, which workers plan, in the caller's transaction. The interval of one that does not recur is
    not kept. Raises PlanLimitExceeded_403."""
    reserve_quota("genie")
    cap = cap_of_run(token_cap, cost_cap)
    run = GenieScheduler.objects.create(
        name=name or headline(prompt, NAME_LENGTH) or f"Outreach of {formats_of(company_id()).date(timezone.now())}",
        prompt=prompt,
        token_cap=cap.tokens,
        cost_cap=cap.cost,
        recurring=recurring,
        interval_ms=interval_ms if recurring else None,
        automation=automation,
        created_by_id=member_id,
        updated_by_id=member_id,
        **columns,
    )
    schedule_next(run)
    emit(
        "genie.created",
        [run.pk],
        payloads={run.pk: event_payload(run)},
        actor_id=member_id,
        automation=automation,
    )
    notify_workers("genie")
    return run


@transaction.atomic
def change_run(*, run_id: str, member_id: str, **values: Any) -> None:
    """Change the caps of a run (token_cap, cost_cap; None: no cap). Messages that wait for one are written then.

    Raises CampaignNotFound_404.
    """
    run = get_run(run_id, lock=True)
    GenieScheduler.objects.filter(pk=run.pk).update(updated_by_id=member_id, updated_at=timezone.now(), **values)
    # Runs that rest until a cap is raised would otherwise look again within the hour only.
    notify_apps_changed()


@transaction.atomic
def cancel_unfinished_run(*, run_id: str, member_id: str) -> Changed:
    """Cancel a run, as `cancel_run` does. Raises CampaignCannotBeUpdated_400 where nothing of it is left to cancel."""
    run = get_run(run_id)
    # Looked at before the lock: it only decides about the text of a refusal.
    messages = SendJob.objects.filter(run=run)
    waits = messages.filter(Q(status__in=NOT_CLAIMED) | Q(next_step_at__isnull=False)).exists()
    goes_on = waits or run.next_occurrence_at is not None or run.status not in ENDED
    if run.cancelled_at is None and not goes_on:
        raise NamedError(
            "CampaignCannotBeUpdated_400",
            f"the run is {run.status} and no message of it waits; there is nothing to cancel",
            field="schedulerId",
        )
    return cancel_run(run_id=run_id, member_id=member_id)


@transaction.atomic
def cancel_run(*, run_id: str, member_id: str | None, of_campaign: bool = False) -> Changed:
    """Stop planning and cancel the messages that have not been sent. No message goes from now on.

    A claimed message is stopped too, until its intent is committed. Cancelling twice changes nothing.
    """
    now = timezone.now()
    # Lock the run first: the planner's checkpoint waits for this transaction or the other way round, so that no message
    # is planned after the cancellation. What makes its recipients is locked before, as its worker does when it ends.
    makers = lock_makers(run_id)
    run = get_run(run_id, lock=True, of_campaign=of_campaign)
    if run.cancelled_at is None:
        run.cancelled_at = now
        run.cancel_requested = True
        # A running worker sees cancel_requested at its next checkpoint, and ends the run itself.
        if run.status in (GenieScheduler.Status.QUEUED, GenieScheduler.Status.PAUSED):
            run.status = GenieScheduler.Status.CANCELLED
            run.finished_at = now
        run.updated_by_id = member_id
        run.next_occurrence_at = None
        run.save(
            update_fields=[
                "cancelled_at",
                "cancel_requested",
                "status",
                "finished_at",
                "next_occurrence_at",
                "updated_by",
                "updated_at",
            ]
        )
        cancel_makers(makers)
    # Last, under the run's lock: no planner can add messages after it.
    return change_messages(run, Action.CANCEL_MESSAGES, NOT_CLAIMED, member_id)


@transaction.atomic
def delete_run(*, run_id: str, member_id: str) -> Changed:
    """Cancel messages that have not been sent, and hide the run. Its messages stay in the log."""
    cancelled = cancel_run(run_id=run_id, member_id=member_id)
    GenieScheduler.objects.filter(pk=run_id).update(is_deleted=True, updated_by_id=member_id, updated_at=timezone.now())
    emit("genie.deleted", [run_id], actor_id=member_id)
    return cancelled


def event_payload(run: GenieScheduler) -> JsonObject:
    """Return the payload of the event of a new run."""
    return {"name": run.name, "draft": run.draft}
