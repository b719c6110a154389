"""The registrations of campaigns."""

from __future__ import annotations

from datetime import timedelta

from core.access import count_usage
from core.api.routes import protected
from core.global_search import Kind, register_kind
from core.jobs import PeriodicTask, QueueWork, register
from crm.exports.lists import register_source
from outreach.messaging.email_templates.services import before_templates_deleted
from outreach.runs.campaigns import launch
from outreach.runs.campaigns.filters import CAMPAIGN_FIELDS
from outreach.runs.campaigns.progress import follow_campaigns
from outreach.runs.campaigns.selectors import kept_campaigns, waiting_with
from outreach.runs.campaigns.views import CampaignViewSet

protected.register("campaign", CampaignViewSet)
register(
    QueueWork(
        "campaigns", launch.start_due, due_rows=launch.due_campaigns, queue="send", task="outreach.start_campaigns"
    )
)
register(PeriodicTask("outreach.campaigns", follow_campaigns, every=timedelta(minutes=1)))
count_usage("campaign", kept_campaigns)
before_templates_deleted.connect(waiting_with)
register_source("campaign", CampaignViewSet)
register_kind(
    Kind(
        "campaign",
        "campaign",
        lambda actor: kept_campaigns(),
        CAMPAIGN_FIELDS.pick("name", "subject"),
        "name",
        "subject",
        35,
    )
)
