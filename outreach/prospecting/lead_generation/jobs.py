"""The work of lead generation."""

from __future__ import annotations

from core.jobs import JobWork, register
from outreach.prospecting.lead_generation.models import LeadGeneration
from outreach.prospecting.lead_generation.services import run, search_ended

register(
    JobWork(
        "lead-generation", run, model=LeadGeneration, queue="ai", task="outreach.generate_leads", ended=search_ended
    )
)
