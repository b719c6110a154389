"""The daily checks of tracking hosts."""

from __future__ import annotations

from core.jobs import QueueWork, register
from outreach.messaging.domain_tracking.models import DomainTracking
from outreach.messaging.domain_tracking.services import check_due, due_checks

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
