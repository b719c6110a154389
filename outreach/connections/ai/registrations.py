"""The registrations of AI apps."""

from __future__ import annotations

from core.tenancy.provisioning import company_opened
from crm.exports.sources import register_source
from outreach.connections.ai.services import connect_writer
from outreach.connections.ai.views import AiUsageViewSet

register_source("ai-usage", AiUsageViewSet)
company_opened.connect(connect_writer)
