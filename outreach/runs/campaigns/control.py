"""Members' actions on a started campaign: pause, resume and cancel it, release its drafts."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.errors import NamedError
from core.events import emit
from core.jobs import notify_workers
from outreach.messaging.delivery import services as delivery
from outreach.messaging.delivery.deciding.reasons import Reason
from outreach.messaging.delivery.models import SendJob
from outreach.runs.campaigns.models import Campaign
from outreach.runs.campaigns.selectors import run_of
from outreach.runs.campaigns.services import get_campaign, state_error
from outreach.runs.genie.locks import lock_run
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.review.message_jobs import Action, Changed, change_messages, held_until
from outreach.runs.genie.services import cancel_run

BATCH = 5000
Status = Campaign.Status


def _change(campaign: Campaign, status: str, member_id: str | None, event: str) -> None:
    campaign.status = status
    campaign.updated_by_id = member_id
    campaign.save(update_fields=["status", "finished_at", "updated_by", "updated_at"])
    emit(event, [campaign.pk], payloads={campaign.pk: {"name": campaign.name}}, actor_id=member_id)


@transaction.atomic
def pause_campaign(*, id: str, member_id: str) -> None:
    """Pause its messages until it is resumed. A paused campaign stays paused.

    Raises CampaignNotFound_404, and CampaignCannotBeUpdated_400 for one that is not running.
    """
    campaign = get_campaign(id, lock=True)
    if campaign.status == Status.PAUSED:
        return
    if campaign.status != Status.RUNNING:
        raise state_error(f"the campaign is {campaign.status}; what runs can be paused", field="status")
    # One row stops all messages: the intent checks it, however many are due.
    GenieScheduler.objects.filter(of_campaign=campaign).update(paused_at=timezone.now())
    _change(campaign, Status.PAUSED, member_id, "campaign.paused")


@transaction.atomic
def resume_campaign(*, id: str, member_id: str) -> None:
    """Resume its messages. A running campaign continues.

    Raises CampaignNotFound_404, and CampaignCannotBeUpdated_400 for one that is not running.
    """
    campaign = get_campaign(id, lock=True)
    if campaign.status == Status.RUNNING:
        return
    if campaign.status != Status.PAUSED:
        raise state_error(f"the campaign is {campaign.status}; what is paused can be resumed", field="status")
    GenieScheduler.objects.filter(of_campaign=campaign).update(paused_at=None)
    run = run_of(campaign.pk)
    # The first batch within the request, so that small campaigns go on at once; a periodic task frees the
    # rest.
    free_paused(SendJob.objects.filter(run=run))
    _change(campaign, Status.RUNNING, member_id, "campaign.resumed")


def free_paused(rows: QuerySet[SendJob]) -> int:
    """Release up to BATCH of the messages whose campaign was paused and is no longer. Return their number."""
    rests = rows.filter(status=SendJob.Status.APPROVED, reason=Reason.RUN_PAUSED, run__paused_at=None, held_at=None)
    ids = list(rests.order_by("pk").values_list("pk", flat=True)[:BATCH])
    if ids:
        now = timezone.now()
        # A worker that is deciding one of them has locked it, and decides again.
        rows.filter(pk__in=ids, reason=Reason.RUN_PAUSED).update(due_at=now, reason="", updated_at=now)
        notify_workers("send")
    return len(ids)


@transaction.atomic
def cancel_campaign(*, id: str, member_id: str | None) -> Changed:
    """Cancel the remaining messages of a campaign. A cancelled campaign stays so.

    Raises CampaignNotFound_404, and CampaignCannotBeUpdated_400 for a draft and for one that has ended.
    """
    campaign = get_campaign(id, lock=True)
    if campaign.status in (Status.DRAFT, Status.COMPLETED, Status.FAILED):
        raise state_error(f"the campaign is {campaign.status}; there is nothing to cancel", field="status")
    run = run_of(campaign.pk)
    # Also of a cancelled one: a job that was stopped half way is finished by asking again.
    changed = Changed(0) if run is None else cancel_run(run_id=run.pk, member_id=member_id, of_campaign=True)
    if campaign.status != Status.CANCELLED:
        campaign.finished_at = timezone.now()
        _change(campaign, Status.CANCELLED, member_id, "campaign.cancelled")
    return changed


@transaction.atomic
def release_messages(*, id: str, member_id: str, ids: Sequence[str] | None, delay_seconds: int = 0) -> Changed:
    """Approve drafts of a campaign: those with the ids, or all. Other messages stay as they are.

    None goes before `delay_seconds` are over.

    Drafts of an automatic campaign are messages whose approval is outdated, because the sender's name or address has
    changed.

    Raises CampaignNotFound_404, ManualCampaignNotFound_404, and CampaignCannotBeUpdated_400 for one that is not
    running.
    """
    campaign = get_with_drafts(id, lock=True)
    run = run_of(campaign.pk)
    if run is None or campaign.status not in (Status.RUNNING, Status.PAUSED):
        raise state_error(f"the campaign is {campaign.status}; nothing waits to be released", field="status")
    # The run's lock keeps a bulk change of the same messages apart.
    locked = lock_run(run.pk)
    if locked is None or ids is None:
        drafts = [SendJob.Status.DRAFT]
        details = held_until(delay_seconds)
        return change_messages(locked or run, Action.APPROVE_MESSAGES, drafts, member_id, details=details)
    chosen = SendJob.objects.filter(run=run, pk__in=ids)
    return Changed(delivery.approve_together(chosen, member_id, delivery.after_delay(delay_seconds)))


def get_with_drafts(id: str, *, lock: bool = False) -> Campaign:
    """Return the campaign with this id that is manual, or has drafts.

    Raises CampaignNotFound_404 and ManualCampaignNotFound_404.
    """
    campaign = get_campaign(id, lock=lock)
    drafts = SendJob.objects.filter(run__of_campaign=campaign.pk, status=SendJob.Status.DRAFT)
    if not campaign.manual and not drafts.exists():
        raise NamedError(
            "ManualCampaignNotFound_404", "the campaign goes by itself, nobody releases its messages", field="id"
        )
    return campaign
