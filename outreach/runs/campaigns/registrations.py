"""The registrations of campaigns."""

from __future__ import annotations

from core.access import count_usage
from crm.exports.sources import register_source
from outreach.messaging.email_templates.services import before_templates_deleted
from outreach.runs.campaigns.selectors import kept_campaigns, waiting_with
from outreach.runs.campaigns.views import CampaignViewSet

count_usage("campaign", kept_campaigns)
before_templates_deleted.connect(waiting_with)
register_source("campaign", CampaignViewSet)
