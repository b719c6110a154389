"""A company's use of its meters: this month with a forecast, and by day."""

from __future__ import annotations

from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal

from django.db.models import Sum
from django.db.models.functions import TruncDate
from django.utils import timezone

from accounts.models import Company
from billing.entitlements.selectors import terms_of
from billing.ledger.money import exponent, money
from billing.meters.models import MeterPeriod, UsageEvent
from billing.meters.services import Terms, terms_at
from billing.subscriptions.selectors import meter_price, primary_subscription
from core.access import Entitlement
from core.access.meters import METERS
from core.reports.periods import Period, read_period
from core.tenancy import company_id
from core.text.labels.modules import name_of
from core.text.timezones import zone_of
from core.types import JsonObject

NAMES = ("from", "to")


def read_usage(start: str, end: str) -> JsonObject:
    """Return the meters of the active company's subscription, and their use on each day of a period.

    Without days it is the month of the meters so far. Raises InvalidRequest_400 that names from or to.
    """
    now = timezone.now()
    subscription = primary_subscription()
    allowed = terms_of(subscription) if subscription else Entitlement(frozenset())
    limits = {key: allowed.limits[key] for key in METERS if key in allowed.limits}
    terms = terms_at(now)
    zone = zone_of(Company.objects.values_list("timezone", flat=True).get(pk=company_id()))
    today = now.astimezone(zone).date()
    if terms is not None and not (start or end):
        start = min(terms.starts_at.astimezone(zone).date(), today).isoformat()
    period = read_period(start, end, today, zone, names=NAMES)
    rows: dict[str, MeterPeriod] = {}
    if terms is not None:
        rows = {row.meter: row for row in MeterPeriod.objects.filter(starts_at=terms.starts_at, meter__in=limits)}
    days = _by_day(period, list(limits))
    return {
        "from": period.first,
        "to": period.last,
        "meters": [
            {**_meter(key, limit, rows.get(key), terms, now), "days": days[key]}
            for key, limit in limits.items()
            if terms is not None
        ],
    }


def _included_units(row: MeterPeriod | None, limit: int) -> int:
    """Return the units that the month includes by a limit that its row does not know yet."""
    if row is None:
        return limit
    return min(limit, row.included) if limit < row.allowed else row.included


def _meter(key: str, limit: int, row: MeterPeriod | None, terms: Terms, now: datetime) -> JsonObject:
    # A row is brought up to date when something is used; until then what the subscription says now is shown.
    current = row is not None and (row.allowed, row.terms, row.ends_at) == (limit, terms.key, terms.ends_at)
    if row is not None and current:
        included = row.included
        price = row.unit_amount
        currency = row.currency
    else:
        included = _included_units(row, limit)
        price = meter_price(terms.subscription, key) if terms.key else None
        currency = terms.subscription.currency
    used = row.used + row.reserved if row is not None else 0
    foreseen = forecast(used, terms.starts_at, terms.ends_at, now)
    beyond, later = max(0, used - included), max(0, foreseen - included)
    return {
        "meter": key,
        "name": name_of(key),
        "periodStart": terms.starts_at,
        "periodEnd": terms.ends_at,
        "included": included,
        "used": used,
        "percent": 100 if included <= used else 100 * used // included,
        "overage": beyond,
        "price": None if price is None else {"amount": float(price), "currency": currency},
        "overageCost": None if price is None else cost(beyond, price, currency),
        "forecast": foreseen,
        "forecastCost": None if price is None else cost(later, price, currency),
    }


def cost(units: int, price: Decimal, currency: str) -> JsonObject:
    """Return the cost of this number of units, before tax."""
    # The same rounding as the charge (billing.meters.services), so that the page shows the billed amount.
    minor = (price * units).scaleb(exponent(currency)).to_integral_value(ROUND_HALF_UP)
    return money(int(minor), currency)


def forecast(used: int, start: datetime, end: datetime, now: datetime) -> int:
    """Return the expected use at the end of a month at the present rate."""
    elapsed, duration = (now - start).total_seconds(), (end - start).total_seconds()
    return used if elapsed <= 0 else round(used * duration / min(elapsed, duration))


def _by_day(period: Period, meters: list[str]) -> dict[str, list[JsonObject]]:
    """Return meter -> the days of the period in the company's time zone, with the use on each."""
    rows = UsageEvent.objects.filter(created_at__gte=period.start, created_at__lt=period.end, meter__in=meters)
    counts: dict[tuple[str, date], int] = {
        (meter, day): int(units)
        for meter, day, units in rows.order_by()
        .annotate(day=TruncDate("created_at", tzinfo=period.zone))
        .values_list("meter", "day")
        .annotate(units=Sum("quantity"))
    }
    days = list(period.days())
    return {key: [{"day": day, "used": counts.get((key, day), 0)} for day in days] for key in meters}
