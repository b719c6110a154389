"""The registrations of AI apps."""

from __future__ import annotations

from datetime import timedelta

from core.api.routes import protected
from core.jobs import PeriodicTask, register
from core.tenancy.provisioning import company_opened
from crm.exports.lists import register_source
from outreach.connections.ai.budgets import release_all_expired
from outreach.connections.ai.services import connect_writer
from outreach.connections.ai.views import AiCapsViewSet, AiUsageViewSet

protected.register("ai-usage/caps", AiCapsViewSet)
protected.register("ai-usage", AiUsageViewSet)
register(PeriodicTask("outreach.expired_ai_calls", release_all_expired, every=timedelta(hours=1)))
register_source("ai-usage", AiUsageViewSet)
company_opened.connect(connect_writer)
