"""The report about quotes: their number and value by status, owner and currency."""

from __future__ import annotations

from django.db.models import Case, DecimalField, F, Q, QuerySet, Sum, When

from accounts.settings.formats import formats_of
from core.access import Actor
from core.reports import Column, Grouping, Report, Source, count, filter_condition
from core.tenancy import company_id
from core.text.translation import gettext_lazy
from outreach.site.quotes.models import Quote
from outreach.site.quotes.selectors import live_quotes

LABELS = {
    Quote.Status.DRAFT: gettext_lazy("Draft"),
    Quote.Status.SENT: gettext_lazy("Sent"),
    Quote.Status.VIEWED: gettext_lazy("Opened"),
    Quote.Status.ACCEPTED: gettext_lazy("Accepted"),
    Quote.Status.DECLINED: gettext_lazy("Declined"),
    Quote.Status.EXPIRED: gettext_lazy("Expired"),
}
"""Status -> its label."""


def _latest(actor: Actor) -> QuerySet[Quote]:
    """Return the latest versions, with their totals in the company's currency: sums of several mean nothing."""
    own = When(currency=formats_of(company_id()).currency, then=F("total"))
    value = Case(own, output_field=DecimalField(max_digits=18, decimal_places=4))
    return live_quotes().filter(replaced_by=None).annotate(own_total=value)


QUOTES = Report(
    name="quotes",
    title=gettext_lazy("Quotes"),
    about=gettext_lazy("Quotes created in the period, and the value of them in your currency."),
    modules=("lead",),
    place=35,
    sources=(
        Source(
            rows=_latest,
            at="created_at",
            path="quote",
            at_field="createdAt",
            by=(
                Grouping("status", gettext_lazy("Status"), "status", labels=LABELS, field="status"),
                Grouping("owner", gettext_lazy("Owner"), "owner_id", label="owner__name", field="owner"),
                Grouping("currency", gettext_lazy("Currency"), "currency", label="currency", field="currency"),
            ),
            columns=(
                count("quotes", gettext_lazy("Quotes"), None, filter_condition("current", "equals", True)),
                Column("value", gettext_lazy("Value"), Sum("own_total"), "money"),
                count(
                    "accepted",
                    gettext_lazy("Accepted"),
                    Q(status=Quote.Status.ACCEPTED),
                    filter_condition("status", "equals", "accepted"),
                ),
                Column(
                    "acceptedValue",
                    gettext_lazy("Accepted value"),
                    Sum("own_total", filter=Q(status=Quote.Status.ACCEPTED)),
                    "money",
                ),
            ),
        ),
    ),
)
REPORTS = (QUOTES,)
