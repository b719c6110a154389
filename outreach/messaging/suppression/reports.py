"""The report about addresses that are not written to any more."""

from __future__ import annotations

from django.db.models import Q

from core.reports import Grouping, Report, Source, count, filter_condition
from core.text.translation import gettext_lazy
from outreach.messaging.suppression.models import Suppression

REASONS = {
    Suppression.Reason.UNSUBSCRIBED: gettext_lazy("Unsubscribed"),
    Suppression.Reason.BOUNCED: gettext_lazy("Bounced"),
    Suppression.Reason.COMPLAINED: gettext_lazy("Complained"),
    Suppression.Reason.MANUAL: gettext_lazy("Added by hand"),
}
"""Reason -> its label."""

SUPPRESSIONS = Report(
    name="suppressions",
    title=gettext_lazy("Suppression list"),
    about=gettext_lazy("Addresses added in the period and still on the list."),
    modules=("genie",),
    place=75,
    sources=(
        Source(
            rows=lambda actor: Suppression.objects.all(),
            at="created_at",
            path="suppression",
            at_field="createdAt",
            by=(Grouping("reason", gettext_lazy("Reason"), "reason", labels=REASONS, field="reason"),),
            columns=(
                count("addresses", gettext_lazy("Addresses")),
                *(
                    count(str(reason), title, Q(reason=reason), filter_condition("reason", "equals", reason))
                    for reason, title in REASONS.items()
                ),
            ),
        ),
    ),
)

REPORTS = (SUPPRESSIONS,)
