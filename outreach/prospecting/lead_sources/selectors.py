"""Reads of connected lead sources."""

from __future__ import annotations

from outreach.connections.connected_apps.registry import Capability, apps_with
from outreach.prospecting.lead_sources.base import LeadSource

MAX_SOURCES = 10


def lead_sources() -> list[LeadSource]:
    """Return the active company's sources, the oldest first, at most MAX_SOURCES."""
    sources: list[LeadSource] = []
    for spec in apps_with(Capability.FIND_LEADS).values():
        if spec.provider is not None:
            rows = spec.rows().filter(is_active=True).order_by("created_at", "pk")[:MAX_SOURCES]
            sources += [spec.provider(app) for app in rows]
    return sources[:MAX_SOURCES]
