"""The start of campaigns: at once, or at their time by a worker.

The run is inserted in the transaction that changes the campaign's status, so that a campaign starts exactly once. From
there on the run's own workers plan and send (outreach.runs.genie.writing.planning).
"""

from __future__ import annotations

from time import monotonic

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.errors import NamedError
from core.events import emit
from core.jobs import notify_workers
from core.jobs.registry import Moment
from core.tenancy import company_scope, unscoped
from core.types import JsonObject
from outreach.messaging.delivery.senders import columns_of
from outreach.runs.campaigns.models import Campaign
from outreach.runs.campaigns.readiness import check_ready
from outreach.runs.campaigns.selectors import run_of
from outreach.runs.campaigns.services import get_campaign, state_error
from outreach.runs.genie.audience import Audience
from outreach.runs.genie.cadence.schedule import schedule_next
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.queue import check_queue

BATCH = 50
LIVE_MS = 600_000
"""Interval of checks for new members of a live audience: ten minutes."""
COMPOSER = "ai-offline"
"""The AI type of a campaign's run, whose content is complete: one that calls no model."""
Status = Campaign.Status


@transaction.atomic
def start_campaign(*, id: str, member_id: str) -> Campaign:
    """Start a campaign, or schedule it if its start time lies ahead. A scheduled one stays scheduled.

    Raises CampaignNotFound_404, CampaignCannotBeUpdated_400 for one that has started or was cancelled, and the errors
    of check_ready.
    """
    campaign = get_campaign(id, lock=True)
    if campaign.status == Status.SCHEDULED:
        return campaign
    if campaign.status not in (Status.DRAFT, Status.FAILED) or run_of(campaign.pk) is not None:
        raise state_error(f"the campaign is {campaign.status}; it begins once", field="status")
    content = check_ready(campaign)
    check_queue(Audience.from_json(campaign.audience).contacts().count)
    if campaign.scheduled_at is not None and campaign.scheduled_at > timezone.now():
        campaign.status = Status.SCHEDULED
        campaign.error = ""
        campaign.updated_by_id = member_id
        campaign.save(update_fields=["status", "error", "updated_by", "updated_at"])
        return campaign
    campaign.updated_by_id = member_id
    _begin(campaign, content)
    return campaign


def _begin(campaign: Campaign, content: JsonObject) -> None:
    """Insert the run of a locked campaign, which workers plan."""
    live = campaign.audience_mode == Campaign.Audience.LIVE
    sender = campaign.sender
    own_interval = campaign.interval_ms if campaign.recurring else None
    run = GenieScheduler.objects.create(
        of_campaign=campaign,
        name=campaign.name,
        ai_type=COMPOSER,
        audience=campaign.audience,
        **content,
        campaign=True,
        draft=campaign.manual,
        window=campaign.window,
        track_opens=campaign.track_opens,
        track_clicks=campaign.track_clicks,
        per_hour=campaign.throttle,
        recurring=live or campaign.recurring,
        interval_ms=LIVE_MS if live else own_interval,
        writes_again=campaign.recurring and campaign.write_again,
        created_by_id=campaign.updated_by_id,
        updated_by_id=campaign.updated_by_id,
        **(columns_of(sender) if sender else {}),
    )
    schedule_next(run)
    campaign.status = Status.RUNNING
    campaign.started_at = timezone.now()
    campaign.error = ""
    campaign.save(update_fields=["status", "started_at", "error", "updated_by", "updated_at"])
    payload = {"name": campaign.name, "run": run.pk}
    emit("campaign.started", [campaign.pk], payloads={campaign.pk: payload}, actor_id=campaign.updated_by_id)
    notify_workers("genie")


def _due(now: Moment) -> QuerySet[Campaign]:
    return Campaign.objects.filter(status=Status.SCHEDULED, is_deleted=False, scheduled_at__lte=now)


def due_campaigns(now: Moment) -> list[QuerySet[Campaign]]:
    """Return the campaigns that are to begin."""
    return [_due(now)]


def start_due(deadline: float) -> None:
    """Begin campaigns whose time has come until none is left or monotonic() passes the deadline."""
    while monotonic() < deadline:
        with unscoped(reason="worker: campaigns of all companies whose time has come"):
            due = list(_due(timezone.now()).order_by("scheduled_at").values_list("pk", "company_id")[:BATCH])
        if not due:
            return
        for campaign_id, company in due:
            with company_scope(company):
                start_at_its_time(campaign_id)


@transaction.atomic
def start_at_its_time(campaign_id: str) -> None:
    """Begin a due campaign, unless another worker has. One that cannot begin fails with the reason."""
    campaign = _due(timezone.now()).select_for_update(of=("self",)).filter(pk=campaign_id).first()
    if campaign is None:
        return
    try:
        with transaction.atomic():
            _begin(campaign, check_ready(campaign))
    except NamedError as error:
        campaign.status = Status.FAILED
        campaign.error = error.detail
        campaign.failures = campaign.failures + 1
        campaign.started_at = None
        campaign.save(update_fields=["status", "error", "failures", "started_at", "updated_at"])
        emit("campaign.failed", [campaign.pk], payloads={campaign.pk: {"name": campaign.name, "error": error.detail}})
