"""The work of lead generation."""

from __future__ import annotations

from core.jobs import JobWork, register
from outreach.models import LeadGeneration
from outreach.services.lead_generation import run

register(JobWork("lead-generation", run, model=LeadGeneration, queue="bulk"))
