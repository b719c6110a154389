"""The registrations of tracking hosts."""

from __future__ import annotations

from core.access import count_usage
from core.api.routes import protected
from core.jobs import QueueWork, register
from crm.exports.lists import register_source
from outreach.messaging.domain_tracking.models import DomainTracking
from outreach.messaging.domain_tracking.services import check_due, due_checks
from outreach.messaging.domain_tracking.views import DomainTrackingViewSet

protected.register("domain-tracking", DomainTrackingViewSet)
register(
    QueueWork(
        "tracking-domains",
        check_due,
        due_rows=due_checks,
        queue="bulk",
        task="outreach.check_tracking_domains",
        model=DomainTracking,
    )
)
count_usage("domain-tracking", DomainTracking.objects.all)
register_source("domain-tracking", DomainTrackingViewSet)
