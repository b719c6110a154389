"""Progress of all companies' campaigns: the end of their tests, of their time and of their messages.

Each condition has a statement of its own, so that campaigns without due work cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from core.events import emit
from core.tenancy import company_scope
from outreach.messaging.delivery.deciding.reasons import Reason
from outreach.messaging.delivery.models import SendJob
from outreach.runs.campaigns.control import BATCH as MESSAGES
from outreach.runs.campaigns.control import free_paused
from outreach.runs.campaigns.models import Campaign
from outreach.runs.campaigns.winners import UNDECIDED, UNDER_WAY, decide_by_rule, set_decision_time
from outreach.runs.genie.models import GenieScheduler

BATCH = 100
Status = Campaign.Status


def follow_campaigns() -> bool:
    """Process the due steps of running campaigns (a periodic task). Return whether there may be more."""
    now = timezone.now()
    runs = GenieScheduler.objects.filter(company_id=OuterRef("company_id"), of_campaign=OuterRef("pk"))
    under_way = SendJob.objects.filter(variant__isnull=False, status__in=UNDER_WAY)
    tested = under_way.filter(run__company_id=OuterRef("company_id"), run__of_campaign=OuterRef("pk"))
    ended = Q(cancelled_at__isnull=False) | Q(status="failed") | Q(concluded_at__isnull=False)
    by_rule = UNDECIDED & ~Q(winner_rule__metric="manual") & Q(status=Status.RUNNING)
    due: tuple[tuple[Any, Callable[[str], None]], ...] = (
        (Q(Exists(runs.filter(ended))), end_campaign),
        (Q(ends_at__lte=now) & Exists(runs.filter(recurring=True)), end_audience),
        (by_rule & Q(decides_at__lte=now), decide_by_rule),
        (
            by_rule & Q(decides_at=None) & Exists(runs.filter(planned_at__isnull=False)) & ~Exists(tested),
            set_decision_time,
        ),
    )
    full = False
    campaigns = Campaign.objects.filter(status__in=(Status.RUNNING, Status.PAUSED), is_deleted=False)
    for condition, do in due:
        pairs = list(campaigns.filter(condition).order_by("pk").values_list("pk", "company_id")[:BATCH])
        for campaign_id, company in pairs:
            with company_scope(company):
                do(campaign_id)
        full = full or len(pairs) == BATCH
    return free_all_paused() or full


@transaction.atomic
def end_campaign(campaign_id: str) -> None:
    """Complete a campaign under way, whose run has ended."""
    campaign = Campaign.objects.select_for_update(of=("self",)).filter(pk=campaign_id).first()
    run = GenieScheduler.objects.filter(of_campaign=campaign_id).first()
    if campaign is None or run is None or campaign.status not in (Status.RUNNING, Status.PAUSED):
        return
    if run.cancelled_at is not None:
        campaign.status = Status.CANCELLED
    elif run.status == GenieScheduler.Status.FAILED:
        campaign.status = Status.FAILED
        campaign.error = run.error
    else:
        campaign.status = Status.COMPLETED
    campaign.finished_at = timezone.now()
    campaign.save(update_fields=["status", "error", "finished_at", "updated_at"])
    payload = {"name": campaign.name, "run": run.pk}
    emit(f"campaign.{campaign.status}", [campaign.pk], payloads={campaign.pk: payload})


@transaction.atomic
def end_audience(campaign_id: str) -> None:
    """Close the audience of a campaign whose end has come; its messages continue."""
    GenieScheduler.objects.filter(of_campaign=campaign_id).update(
        recurring=False, next_occurrence_at=None, updated_at=timezone.now()
    )


def free_all_paused() -> bool:
    """Release the remaining messages of resumed campaigns. Return whether there are more."""
    approved = SendJob.objects.filter(status=SendJob.Status.APPROVED, reason=Reason.RUN_PAUSED)
    rests = approved.filter(run__paused_at=None, held_at=None)
    companies = list(rests.order_by().values_list("company_id", flat=True).distinct()[:BATCH])
    more = False
    for company in companies:
        with company_scope(company):
            more = free_paused(SendJob.objects.all()) == MESSAGES or more
    return more
