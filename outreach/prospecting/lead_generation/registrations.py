"""The registrations of lead generation."""

from __future__ import annotations

from core.access import count_usage
from outreach.prospecting.lead_generation.models import LeadGeneration

count_usage("lead-gen-ai", LeadGeneration.objects.all)
