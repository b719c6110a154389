"""The registrations of tracking hosts."""

from __future__ import annotations

from core.access import count_usage
from crm.exports.sources import register_source
from outreach.messaging.domain_tracking.models import DomainTracking
from outreach.messaging.domain_tracking.views import DomainTrackingViewSet

count_usage("domain-tracking", DomainTracking.objects.all)
register_source("domain-tracking", DomainTrackingViewSet)
