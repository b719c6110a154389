"""The report about addresses that are not written to any more."""

from __future__ import annotations

from django.db.models import Q

from core.reports import By, Report, Source, condition, count
from outreach.messaging.suppression.models import Suppression

REASONS = {
    Suppression.Reason.UNSUBSCRIBED: "Unsubscribed",
    Suppression.Reason.BOUNCED: "Bounced",
    Suppression.Reason.COMPLAINED: "Complained",
    Suppression.Reason.MANUAL: "Added by hand",
}
"""Reason -> its label."""

SUPPRESSIONS = Report(
    name="suppressions",
    title="Suppression list",
    about="Addresses added to the suppression list in the period, and still on it.",
    modules=("genie",),
    place=75,
    sources=(
        Source(
            rows=lambda actor: Suppression.objects.all(),
            at="created_at",
            path="suppression",
            at_field="createdAt",
            by=(By("reason", "Reason", "reason", labels=REASONS, field="reason"),),
            columns=(
                count("addresses", "Addresses"),
                *(
                    count(str(reason), title, Q(reason=reason), condition("reason", "equals", reason))
                    for reason, title in REASONS.items()
                ),
            ),
        ),
    ),
)

REPORTS = (SUPPRESSIONS,)
