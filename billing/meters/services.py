"""Counting of meters: reserved, settled and released by single statements, for any number of sources at once.

The period's row is the counter. The statement that reserves from it locks it, so that concurrent workers never exceed
it. An event is unique for its source, so that nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from math import ceil

from django.db import connection, transaction
from django.utils import timezone

from billing.charges.models import Charge
from billing.ledger.money import exponent
from billing.meters.models import MeterPeriod, UsageEvent
from billing.meters.periods import month_at
from billing.subscriptions.models import Subscription
from billing.subscriptions.selectors import meter_price
from core.access.meters import METERS, Outcome, Reserved
from core.ids import new_id
from core.tenancy import company_id, company_scope
from core.text.formats import price_text
from core.text.labels.modules import name_of
from core.types import JsonObject

RESERVED_FOR = timedelta(minutes=15)
"""After which the outcome of a reservation is looked up: longer than a call or a message takes."""
BATCH = 1000
RESERVE = """
WITH given AS (SELECT * FROM unnest(string_to_array(%(sources)s, ','), string_to_array(%(ids)s, ','))
    WITH ORDINALITY AS one (source, id, place)),
period AS (SELECT id, unit_amount IS NOT NULL AND %(most)s::bigint IS NULL OR %(beyond)s AS beyond,
        included + CASE WHEN unit_amount IS NULL THEN 0 ELSE coalesce(%(most)s::bigint, 0) END - used - reserved AS room
    FROM billing_meterperiod
    WHERE company_id = %(company)s AND meter = %(meter)s AND starts_at = %(starts)s AND ends_at = %(ends)s
        AND allowed = %(allowed)s AND terms = %(terms)s FOR NO KEY UPDATE),
known AS (SELECT event.source FROM given JOIN billing_usageevent event
    ON event.company_id = %(company)s AND event.meter = %(meter)s AND event.source = given.source),
fresh AS (SELECT source, id, row_number() OVER (ORDER BY place) AS place FROM given
    WHERE source NOT IN (SELECT source FROM known)),
taken AS (INSERT INTO billing_usageevent
        (id, company_id, meter, source, period_id, quantity, status, expires_at, created_at, updated_at)
    SELECT fresh.id, %(company)s, %(meter)s, fresh.source, period.id, %(quantity)s, 'reserved', %(expires)s, %(now)s,
        %(now)s
    FROM fresh, period WHERE period.beyond OR fresh.place * %(quantity)s <= period.room
    ON CONFLICT DO NOTHING RETURNING source),
counted AS (UPDATE billing_meterperiod
    SET reserved = reserved + (SELECT count(*) FROM taken) * %(quantity)s, updated_at = %(now)s
    WHERE id IN (SELECT id FROM period) AND EXISTS (SELECT FROM taken))
SELECT source FROM taken UNION ALL SELECT source FROM known UNION ALL SELECT '' FROM period
"""
"""Reserves as much as is available; '' among the sources means that the period's row was as expected."""
SETTLE = """
WITH held AS (UPDATE billing_usageevent SET status = 'settled', expires_at = NULL, updated_at = %(now)s
    WHERE company_id = %(company)s AND meter = %(meter)s AND source = ANY(string_to_array(%(sources)s, ','))
        AND status = 'reserved' RETURNING period_id, quantity, source),
sums AS (SELECT period_id, sum(quantity) AS units FROM held GROUP BY period_id),
counted AS (UPDATE billing_meterperiod period
    SET reserved = reserved - units, used = used + units, updated_at = %(now)s
    FROM sums WHERE period.id = sums.period_id)
SELECT source FROM held UNION ALL SELECT source FROM billing_usageevent
    WHERE company_id = %(company)s AND meter = %(meter)s AND source = ANY(string_to_array(%(sources)s, ','))
        AND status = 'settled'
"""
RELEASE = """
WITH gone AS (DELETE FROM billing_usageevent
    WHERE company_id = %(company)s AND meter = %(meter)s AND source = ANY(string_to_array(%(sources)s, ','))
        AND status = 'reserved' RETURNING period_id, quantity),
sums AS (SELECT period_id, sum(quantity) AS units FROM gone GROUP BY period_id)
UPDATE billing_meterperiod period SET reserved = reserved - units, updated_at = %(now)s
FROM sums WHERE period.id = sums.period_id
"""


@dataclass(frozen=True, kw_only=True)
class Terms:
    """A company's subscription and its month around a point in time."""

    subscription: Subscription
    starts_at: datetime
    ends_at: datetime

    @property
    def key(self) -> str:
        """Return the key of a unit's price. A trial, and a subscription without payments by month or year, have no
        price."""
        subscription = self.subscription
        return (
            f"{subscription.plan_id}:{subscription.version_id or ''}:{subscription.currency}"
            if subscription.interval
            else ""
        )

    @property
    def share_left(self) -> Decimal:
        """Return the part of the month that lies ahead."""
        seconds_left = Decimal((self.ends_at - timezone.now()).total_seconds())
        return max(Decimal(0), min(Decimal(1), seconds_left / Decimal((self.ends_at - self.starts_at).total_seconds())))


def terms_at(now: datetime) -> Terms | None:
    """Return the terms of the active company's subscription; None without one."""
    fields = ("plan", "version", "status", "starts_at", "period_start", "period_end", "period_day", "interval")
    # Few columns only: this runs for each reservation, and a subscription carries JSON documents as well.
    subscription: Subscription | None = (
        Subscription.objects.only(*fields, "currency", "company", "overage").filter(is_primary=True).first()
    )
    if subscription is None:
        return None
    start = subscription.period_start or subscription.starts_at
    starts_at, ends_at = month_at(now, start=start, end=subscription.period_end, day=subscription.period_day)
    return Terms(subscription=subscription, starts_at=starts_at, ends_at=ends_at)


class Store:
    """Counts the active company's use in PostgreSQL (core.access.meters)."""

    def reserve(self, meter: str, sources: Sequence[str], limit: int, quantity: int) -> Reserved:
        """Reserve units for the sources, in their order, as far as they go."""
        return reserve_units(meter, sources, limit, quantity)

    def settle(self, meter: str, sources: Sequence[str], quantity: int) -> None:
        """Count the sources as used, also those whose reservations have been given back since."""
        with transaction.atomic():
            # The reservation lapsed while its work went on. It was used all the same, so
            # it is counted even beyond the limit.
            lost_sources = sorted(set(sources) - set(_run(SETTLE, meter, sources)))
            if lost_sources and (row := _newest_period(meter)) is not None:
                reserve_units(meter, lost_sources, row.allowed, quantity, beyond=True)
                _run(SETTLE, meter, lost_sources)

    def release(self, meter: str, sources: Sequence[str]) -> None:
        """Take back reservations."""
        _run(RELEASE, meter, sources)

    def used(self, meter: str) -> int:
        """Return the used and reserved quantity of this month."""
        terms = terms_at(timezone.now())
        row = None if terms is None else period_of(meter, terms)
        return 0 if row is None else row.used + row.reserved


def reserve_units(
    meter: str, sources: Sequence[str], limit: int, quantity: int = 1, *, beyond: bool = False
) -> Reserved:
    """Take units for the sources from the month that runs, in one statement, and one that reads the subscription.

    The month's row is created or updated if it differs from the subscription. `beyond` takes the units even if none are
    left.
    """
    now = timezone.now()
    terms = terms_at(now)
    if terms is None:
        return Reserved((), now)
    values = {
        "company": company_id(),
        "meter": meter,
        "sources": ",".join(sources),
        "ids": ",".join(new_id() for _ in sources),
        "starts": terms.starts_at,
        "ends": terms.ends_at,
        "allowed": limit,
        "terms": terms.key,
        "quantity": quantity,
        "beyond": beyond,
        "most": terms.subscription.overage.get(meter),
        "expires": now + RESERVED_FOR,
        "now": now,
    }
    # The statement finds no row where the month is new or its terms have changed. Each round repairs that,
    # and others may change it once more in between.
    for _ in range(3):
        reserved = _rows(RESERVE, values)
        if "" in reserved:
            return Reserved(frozenset(reserved) - {""}, terms.ends_at)
        open_period(meter, terms, limit)
    raise RuntimeError(f"the month of {meter} changes all the time")


@transaction.atomic
def open_period(meter: str, terms: Terms, limit: int) -> MeterPeriod:
    """Make the month's row, or bring it up to date with the subscription.

    What grows within the month grows by the share of it that is left. What a shorter month before has used of more than
    its share of time is taken off, since the unused time was paid back.
    """
    price = _price(meter, terms)
    subscription = terms.subscription
    values: JsonObject = {"ends_at": terms.ends_at, "allowed": limit, "terms": terms.key, **price}
    fresh = MeterPeriod(
        subscription=subscription,
        meter=meter,
        starts_at=terms.starts_at,
        included=max(0, limit - _carried_use(meter, terms)),
        is_trial=subscription.status == Subscription.Status.TRIAL,
        **values,
    )
    # The first two workers of a month may both create its row. ON CONFLICT DO
    # NOTHING lets the second one go on.
    MeterPeriod.objects.bulk_create([fresh], ignore_conflicts=True)
    row: MeterPeriod = MeterPeriod.objects.select_for_update(no_key=True, of=("self",)).get(
        meter=meter, starts_at=terms.starts_at
    )
    if row.pk == fresh.pk:
        return row
    if limit > row.allowed:
        # Paid for by the day, so included by the day. Rounded up, in the company's favour.
        row.included += ceil((limit - row.allowed) * terms.share_left)
    elif limit < row.allowed:
        # What was used above a lower limit is not taken back: `used` may exceed `included` from now on.
        row.included = min(row.included, limit)
    if (row.unit_amount, row.currency) != (price["unit_amount"], price["currency"]):
        charge_overage([row])  # what was used until now costs what it cost
    for name, value in values.items():
        setattr(row, name, value)
    row.save()
    return row


def _price(meter: str, terms: Terms) -> JsonObject:
    amount = meter_price(terms.subscription, meter) if terms.key else None
    return {"unit_amount": amount, "currency": terms.subscription.currency if amount is not None else ""}


def _carried_use(meter: str, terms: Terms) -> int:
    """Return the part of this month's use that belongs to the previous month.

    That month was shortened by another plan, whose order refunded its unused time.
    """
    before: MeterPeriod | None = (
        MeterPeriod.objects.filter(meter=meter, starts_at__lt=terms.starts_at, ends_at__gt=terms.starts_at)
        .order_by("-starts_at")
        .first()
    )
    if before is None or before.is_trial:
        return 0
    # The share of the former month that was really paid for. Use within it belongs to that month.
    elapsed_share = (terms.starts_at - before.starts_at) / (before.ends_at - before.starts_at)
    return max(0, min(before.used + before.reserved, before.included) - ceil(before.included * elapsed_share))


def period_of(meter: str, terms: Terms) -> MeterPeriod | None:
    """Return the month's row, or None before anything was used."""
    period: MeterPeriod | None = MeterPeriod.objects.filter(meter=meter, starts_at=terms.starts_at).first()
    return period


def _newest_period(meter: str) -> MeterPeriod | None:
    period: MeterPeriod | None = MeterPeriod.objects.filter(meter=meter).order_by("-starts_at").first()
    return period


def _run(statement: str, meter: str, sources: Sequence[str]) -> list[str]:
    values = {"company": company_id(), "meter": meter, "sources": ",".join(sources), "now": timezone.now()}
    return _rows(statement, values)


def _rows(statement: str, values: JsonObject) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [source for (source,) in cursor.fetchall()] if cursor.description else []


# Reservations whose worker has not come back


def look_up_outcomes() -> bool:
    """Settle or give back a batch of reservations whose time is over (a periodic task). Returns whether more wait."""
    now = timezone.now()
    rows = UsageEvent.objects.filter(status=UsageEvent.Status.RESERVED, expires_at__lte=now).order_by("expires_at")
    reservations = list(rows.values_list("company_id", "meter", "source")[:BATCH])
    by_company: dict[tuple[str, str], list[str]] = {}
    for company, meter, source in reservations:
        by_company.setdefault((company, meter), []).append(source)
    # Sorted, so that two workers with overlapping batches take the locks in one order.
    for (company, meter), sources in sorted(by_company.items()):
        with company_scope(company), transaction.atomic():
            end_reservations(meter, sorted(sources))
    return len(reservations) == BATCH


def end_reservations(meter: str, sources: Sequence[str]) -> None:
    """Settle the reservations that were used, prolong those under way, and give the others back."""
    definition = METERS.get(meter)
    outcome = definition.outcome(sources) if definition is not None and definition.outcome is not None else Outcome()
    # A reservation of unknown outcome is released: charging for it
    # would bill what may not have happened.
    used, under_way = set(outcome.used), set(outcome.under_way)
    if used:
        _run(SETTLE, meter, sorted(used))
    if under_way:
        reservations = UsageEvent.objects.filter(meter=meter, source__in=under_way, status=UsageEvent.Status.RESERVED)
        reservations.update(expires_at=timezone.now() + RESERVED_FOR)
    if remaining_sources := [source for source in sources if source not in used | under_way]:
        _run(RELEASE, meter, remaining_sources)


# What was used beyond what is included


def charge_ended(subscription_ids: Sequence[str] | None = None) -> bool:
    """Charge use beyond the included quantity in months that have ended: of these subscriptions, or of any.

    Later settlements are charged separately. Returns whether more may wait.
    """
    # An order has to see all charges, so it waits for locks. The periodic
    # task may leave them to the next run.
    rows = MeterPeriod.objects.select_for_update(no_key=True, of=("self",), skip_locked=subscription_ids is None)
    rows = rows.filter(MeterPeriod.overage(), ends_at__lte=timezone.now()).order_by("ends_at", "pk")
    if subscription_ids is not None:
        charge_overage(list(rows.filter(subscription_id__in=list(subscription_ids))))
        return False
    # One transaction per batch: the rows stay locked until their charges exist, and no longer.
    with transaction.atomic():
        periods = list(rows[:BATCH])
        charge_overage(periods)
    return len(periods) == BATCH


def charge_overage(rows: Sequence[MeterPeriod]) -> None:
    """Write charges for the units of locked rows that have been used beyond those included and not charged yet."""
    charges, charged = [], []
    for row in rows:
        units = row.used - row.included - row.billed
        if row.unit_amount is None or units <= 0:
            continue
        # Late settlements raise `used` after the first charge. Only what is above `billed` is charged then.
        row.billed += units
        charged.append(row)
        price = price_text(row.unit_amount, row.currency)
        # Rounded once for all units: a price may be a fraction of a cent, which
        # must not be rounded for each of them.
        amount = (row.unit_amount * units).scaleb(exponent(row.currency)).to_integral_value(ROUND_HALF_UP)
        charges.append(
            Charge(
                company_id=row.company_id,
                subscription_id=row.subscription_id,
                kind=Charge.Kind.METERED,
                starts_at=row.starts_at,
                ends_at=row.ends_at,
                description=f"{name_of(row.meter)} beyond {row.included:,}: {units:,} at {price}",
                quantity=units,
                amount_minor=int(amount),
                currency=row.currency,
                # Names the count up to which it charges, so that the unique source refuses
                # a second charge of the same units.
                source=f"meter:{row.pk}:{row.billed}",
            )
        )
    Charge.objects.bulk_create(charges)
    MeterPeriod.objects.bulk_update(charged, ["billed"])
