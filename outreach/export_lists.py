"""The lists of outreach that can be exported: a new one is a line here."""

from __future__ import annotations

from crm.exports.sources import register_source
from outreach.chat.widgets.views import ChatWidgetViewSet
from outreach.connections.ai.views import AiUsageViewSet
from outreach.messaging.delivery.views import VENDOR_LOGS, SmtpLogViewSet
from outreach.messaging.domain_tracking.views import DomainTrackingViewSet
from outreach.messaging.suppression.views import SuppressionImportViewSet, SuppressionViewSet
from outreach.runs.campaigns.views import CampaignViewSet
from outreach.runs.genie.review.message_views import SendJobViewSet
from outreach.runs.genie.views import RunViewSet
from outreach.site.forms.views import FormViewSet


def register_lists() -> None:
    """Register the lists, when Django is ready."""
    register_source("ai-usage", AiUsageViewSet)
    register_source("campaign", CampaignViewSet)
    register_source("chat-widget", ChatWidgetViewSet)
    register_source("domain-tracking", DomainTrackingViewSet)
    register_source("form", FormViewSet)
    register_source("genie", RunViewSet)
    register_source("genie/send-jobs", SendJobViewSet)
    register_source("logs/smtp", SmtpLogViewSet)
    for channel, viewset in VENDOR_LOGS.items():
        register_source(f"logs/{channel}", viewset)
    register_source("suppression", SuppressionViewSet)
    register_source("suppression/import", SuppressionImportViewSet)
