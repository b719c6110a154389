"""The reports of outreach; each domain declares its own, and a further domain is a word here."""

from __future__ import annotations

from core.reports import register_report
from outreach.connections.ai import reports as ai
from outreach.messaging.suppression import reports as suppression
from outreach.runs.genie import reports as genie
from outreach.site.forms import reports as forms


def register_reports() -> None:
    """Register the reports; called when the app is ready."""
    for domain in (genie, forms, suppression, ai):
        for report in domain.REPORTS:
            register_report(report)
