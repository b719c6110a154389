"""The registrations of enrichment."""

from __future__ import annotations

from core.api.routes import protected
from crm.privacy.registry import referring_rows, register_personal_data
from outreach.prospecting.enrichment.models import EnrichmentProposal
from outreach.prospecting.enrichment.views import ProposalViewSet

protected.register("enrichment-proposal", ProposalViewSet)
register_personal_data(
    "enrichmentProposals",
    EnrichmentProposal,
    lambda subject: referring_rows(EnrichmentProposal, subject),
    hides=frozenset({"decided_by_id"}),
)
