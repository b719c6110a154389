"""The lists of outreach that can be exported: a new one is a line here."""

from __future__ import annotations

from crm.exports.sources import register_source
from outreach.delivery.views import MessageViewSet, SmtpLogViewSet
from outreach.genie.views import RunViewSet
from outreach.suppression.views import SuppressionViewSet


def register_lists() -> None:
    """Register the lists, when Django is ready."""
    register_source("genie", RunViewSet)
    register_source("genie/send-jobs", MessageViewSet)
    register_source("logs/smtp", SmtpLogViewSet)
    register_source("suppression", SuppressionViewSet)
