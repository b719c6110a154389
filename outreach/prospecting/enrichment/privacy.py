"""Personal data in proposals."""

from __future__ import annotations

from crm.privacy.registry import referring, register_personal_data
from outreach.prospecting.enrichment.models import EnrichmentProposal


def register_tables() -> None:
    """Register the personal data of proposals, which erasure deletes."""
    register_personal_data(
        "enrichmentProposals",
        EnrichmentProposal,
        lambda subject: referring(EnrichmentProposal, subject),
        hides=frozenset({"decided_by_id"}),
    )
