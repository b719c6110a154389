"""The registrations of timelines."""

from __future__ import annotations

from core.api.routes import protected
from crm.timeline.views import ContactTimelineViewSet, LeadTimelineViewSet, OrganizationTimelineViewSet

protected.register("contact", ContactTimelineViewSet)
protected.register("lead", LeadTimelineViewSet)
protected.register("organization", OrganizationTimelineViewSet)
