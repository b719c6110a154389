"""Reads of enrichment: the company's provider, and how far a run's enrichment is."""

from __future__ import annotations

from core.errors import NamedError
from core.types import Values
from outreach.connections.connected_apps.registry import Capability, apps_with
from outreach.prospecting.enrichment.base import EnrichmentProvider
from outreach.prospecting.enrichment.models import Enrichment


def enrichment_provider() -> EnrichmentProvider | None:
    """Return the provider of the active company's oldest active enrichment app, or None without one."""
    for spec in apps_with(Capability.ENRICH).values():
        app = spec.rows().filter(is_active=True).order_by("created_at", "pk").first()
        if app is not None and spec.provider is not None:
            provider: EnrichmentProvider = spec.provider(app)
            return provider
    return None


def check_enrichment(is_enabled: bool) -> None:
    """Raise AppNotFound_400 if a run wants enrichment and no app does it."""
    if is_enabled and enrichment_provider() is None:
        raise NamedError(
            "AppNotFound_400",
            "no enrichment app is connected; leave it false",
            field="enrichmentEnabled",
            operation="POST /apps/enrich",
        )


def enrichment_of(run_id: str, occurrence: int) -> Values | None:
    """Return how far the enrichment of a run's recipients is; None: it was not begun."""
    jobs = Enrichment.objects.filter(run=run_id, occurrence=occurrence)
    return jobs.values("status", "total", "processed", "proposed", "until", "error").first()
