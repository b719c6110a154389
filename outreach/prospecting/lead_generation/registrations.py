"""The registrations of lead generation."""

from __future__ import annotations

from core.access import count_usage
from core.api.routes import protected
from core.jobs import JobWork, register
from outreach.prospecting.lead_generation.models import LeadGeneration
from outreach.prospecting.lead_generation.privacy import register_tables
from outreach.prospecting.lead_generation.services import run, search_ended
from outreach.prospecting.lead_generation.views import LeadGenerationViewSet

protected.register("lead/lead-gen-ai", LeadGenerationViewSet)
register(
    JobWork(
        "lead-generation", run, model=LeadGeneration, queue="ai", task="outreach.generate_leads", ended=search_ended
    )
)
count_usage("lead-gen-ai", LeadGeneration.objects.all)
register_tables()
