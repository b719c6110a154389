"""The registrations of enrichment."""

from __future__ import annotations

from core.api.routes import protected
from outreach.prospecting.enrichment.views import ProposalViewSet

protected.register("enrichment-proposal", ProposalViewSet)
