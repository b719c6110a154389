"""The operator's revenue, from subscriptions and the books. Each function is one statement over all companies.

Currencies are never added up: each has its own rows.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal

from django.db import connection
from django.db.models import Count, Q, Sum
from django.db.models.functions import TruncMonth
from django.utils import timezone

from billing.ledger.models import Posting
from billing.ledger.services import REVENUE
from billing.subscriptions.models import SubscriptionChange
from core.text.translation import gettext_lazy as _
from core.types import Values

MONTHS = 12
# What a subscription brings a month: the net value of the order or renewal that opened its period, by its months. What
# was taken off for time that had been paid before is in it, since that time was given back.
RECURRING = """
SELECT invoice.currency, count(DISTINCT subscription.id),
    sum((line.amount_minor - line.discount_minor) / CASE subscription.interval WHEN 'year' THEN 12.0 ELSE 1 END)
FROM billing_subscription AS subscription
JOIN LATERAL (
    SELECT found.id, found.currency, found.company_id FROM billing_invoice AS found
    WHERE found.company_id = subscription.company_id AND found.subscription_id = subscription.id
        AND found.kind = 'cycle' AND found.number IS NOT NULL
    ORDER BY found.issued_at DESC LIMIT 1
) AS invoice ON true
JOIN billing_invoiceline AS line
    ON line.company_id = invoice.company_id AND line.invoice_id = invoice.id AND line.amount_minor > 0
WHERE subscription.is_primary AND subscription.status IN ('active', 'past_due') AND subscription.interval <> ''
    AND (subscription.ends_at IS NULL OR subscription.ends_at > %s)
GROUP BY invoice.currency ORDER BY invoice.currency
"""
# What companies owe, by how long it has been due. Receivable is booked with the invoice and taken off by its payments
# and credit notes, all of which name it.
AGED = """
SELECT invoice.currency, least(greatest(0, (%s::date - invoice.due_at::date + 29) / 30), 4) AS age,
    count(*), sum(owed.amount)
FROM (
    SELECT posting.company_id, posting.about, sum(posting.amount_minor) AS amount FROM billing_posting AS posting
    WHERE posting.account = 'receivable' GROUP BY posting.company_id, posting.about
    HAVING sum(posting.amount_minor) > 0
) AS owed
JOIN billing_invoice AS invoice ON invoice.company_id = owed.company_id AND invoice.id = owed.about
GROUP BY 1, 2 ORDER BY 1, 2
"""
AGES = (_("Not due yet"), _("1 to 30 days"), _("31 to 60 days"), _("61 to 90 days"), _("More than 90 days"))


@dataclass(frozen=True, kw_only=True)
class Recurring:
    """Recurring revenue of a currency by month and by year, in minor units."""

    currency: str
    subscriptions: int
    minor: int
    year_minor: int


@dataclass(frozen=True, kw_only=True)
class Owed:
    """Receivables of one age in a currency."""

    currency: str
    age: str
    invoices: int
    minor: int


@dataclass(frozen=True, kw_only=True)
class Churn:
    """Subscriptions that companies paid for in a month, and those that ended in it."""

    month: date
    begun: int
    ended: int
    held: int
    """Number of subscriptions at the start of the month."""

    @property
    def percent(self) -> Decimal | None:
        return round(Decimal(100 * self.ended) / self.held, 1) if self.held else None


def recurring_revenue() -> list[Recurring]:
    """Return the monthly recurring revenue, by currency."""
    with connection.cursor() as cursor:
        cursor.execute(RECURRING, [timezone.now()])
        rows = cursor.fetchall()
    # the year is of the exact sum: a year's price is no whole number of cents a month
    return [
        Recurring(currency=code, subscriptions=number, minor=int(round(month)), year_minor=int(round(month * 12)))
        for code, number, month in rows
    ]


def aged_receivables() -> list[Owed]:
    """Return the receivables by currency and age."""
    with connection.cursor() as cursor:
        cursor.execute(AGED, [timezone.now().date()])
        return [
            Owed(currency=code, age=AGES[age], invoices=number, minor=int(minor))
            for code, age, number, minor in cursor.fetchall()
        ]


def earned_by_month() -> dict[str, dict[date, int]]:
    """Return currency -> month -> revenue that was booked in it, net, for the last twelve months."""
    revenue: dict[str, dict[date, int]] = defaultdict(dict)
    rows = Posting.objects.filter(account=REVENUE, created_at__gte=_first_month()).order_by()
    sums = rows.annotate(month=TruncMonth("created_at")).values("currency", "month").annotate(sum=Sum("amount_minor"))
    for row in sums:
        revenue[row["currency"]][row["month"].date()] = -row["sum"]
    return dict(sorted(revenue.items()))


def churn_by_month() -> list[Churn]:
    """Return the numbers of started and ended subscriptions for the last twelve months, from their log, without
    renewals.

    One starts with a payment or grant after none, and ends by expiry or cancellation.
    """
    since = _first_month()
    opened = Q(after__status="active") & ~Q(before__status="past_due")
    closed = Q(after__status__in=("expired", "cancelled"), before__status__in=("active", "past_due"))
    rows = SubscriptionChange.objects.order_by().filter(opened | closed)
    counts = {"begun": Count("pk", filter=opened), "ended": Count("pk", filter=closed)}
    before = rows.filter(created_at__lt=since).aggregate(**counts)
    held_count = before["begun"] - before["ended"]
    months: dict[date, Values] = {
        row["month"].date(): row
        for row in rows.filter(created_at__gte=since)
        .annotate(month=TruncMonth("created_at"))
        .values("month")
        .annotate(**counts)
    }
    churn = []
    for month in last_months():
        counts_of_month = months.get(month, {"begun": 0, "ended": 0})
        churn.append(
            Churn(month=month, begun=counts_of_month["begun"], ended=counts_of_month["ended"], held=held_count)
        )
        held_count += counts_of_month["begun"] - counts_of_month["ended"]
    return churn


def last_months() -> list[date]:
    """Return the first days of the last twelve months, this one included."""
    today = timezone.now().date()
    count = today.year * 12 + today.month - 1
    return [date((count - back) // 12, (count - back) % 12 + 1, 1) for back in range(MONTHS - 1, -1, -1)]


def _first_month() -> datetime:
    return datetime.combine(last_months()[0], time(), UTC)
