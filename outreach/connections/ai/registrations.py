"""The registrations of AI apps."""

from __future__ import annotations

from crm.exports.sources import register_source
from outreach.connections.ai.views import AiUsageViewSet

register_source("ai-usage", AiUsageViewSet)
