"""The billing of next periods, thousands of subscriptions in one transaction.

Each subscription whose paid period is over gets an order with an issued invoice. A further row collects the money
(billing.dunning).

The period begins when the order is paid; a free one begins at once. Workers share the due subscriptions by SKIP LOCKED.
The transaction of a killed worker leaves nothing, not even a number.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from billing.addons.services import addons_to_json
from billing.charges.services import mark_billed
from billing.invoices.services import get_seller, invoice_party, next_numbers
from billing.models import (
    Dunning,
    Invoice,
    InvoiceLine,
    Payment,
    PaymentMethod,
    Plan,
    PlanVersion,
    Posting,
    Subscription,
    SubscriptionChange,
)
from billing.payments.orders import WAITING
from billing.payments.settlement import close_order, set_subscription_items
from billing.plans.versions import with_terms
from billing.renewals.lines import CompanyDetails, Due, compute_lines
from billing.renewals.rows import change_row, invoice_row, line_rows, moved_values, next_end, payment_row, posting_rows
from billing.renewals.writer import insert_rows, lines_to_json
from billing.subscriptions.changes import access_end, lock_primary, require_subscription
from billing.subscriptions.models import PAID
from billing.subscriptions.renewals import mark_renewal_past_due
from billing.subscriptions.selectors import ends_by, version_at
from core.events.across import emit_across
from core.ids import new_id
from core.jobs import notify_workers
from core.jobs.registry import Moment
from core.tenancy import company_scope, unscoped
from core.types import JsonObject

log = logging.getLogger(__name__)
Action = SubscriptionChange.Action
WORK = "renewals"
BATCH = 2000
WAIT = timedelta(hours=1)
"""Delay before another check of a subscription that cannot be billed or whose company has another open order."""
AHEAD = timedelta(days=1)
"""Minimum time between a bill and the next one, even after a long outage of the service."""
OPEN_ATTEMPT = ("due", "working", "wrong", "unknown")
SECONDS_OF_CHARGES = 60.0
"""Seconds of charges that gateways take without being spread."""
ALL = "renewals: the subscriptions of all companies"
MOVE = """
UPDATE billing_subscription AS known SET bill_at = new.bill_at, ends_at = new.ends_at,
    period_start = coalesce(new.period_start, known.period_start),
    period_end = coalesce(new.period_end, known.period_end), plan_id = coalesce(new.plan, known.plan_id),
    interval = coalesce(new.interval, known.interval), seats = coalesce(new.seats, known.seats),
    scheduled = CASE WHEN new.applied THEN NULL ELSE known.scheduled END,
    version_id = CASE WHEN new.ends_terms THEN NULL ELSE known.version_id END,
    version_told_at = CASE WHEN new.ends_terms THEN NULL ELSE known.version_told_at END, updated_at = %s
FROM json_to_recordset(%s::json) AS new (id text, bill_at timestamptz, ends_at timestamptz, period_start timestamptz,
    period_end timestamptz, plan text, interval text, seats int, applied boolean, ends_terms boolean)
WHERE known.id = new.id
"""


def work(deadline: float) -> None:
    """Bill due subscriptions, a batch at a time, until none is left or monotonic() passes the deadline.

    Those of a batch that fails are billed one by one, and the one that it fails by waits: it keeps no other unbilled.
    """
    while monotonic() < deadline:
        try:
            # A batch is one transaction, so a worker that is killed leaves
            # neither an order nor a number.
            if not bill_batch():
                return
        except Exception:  # noqa: BLE001  the edge of a batch: the others continue
            log.exception("a batch cannot be billed: its subscriptions are billed one by one")
            _bill_singly(deadline)


def _bill_singly(deadline: float) -> None:
    with unscoped(reason=ALL):
        # The failing batch was rolled back and its locks are gone, so its rows
        # are selected again, without locks.
        subscription_ids = list(
            _due_subscriptions(timezone.now()).order_by("bill_at", "id").values_list("pk", flat=True)[:BATCH]
        )
        for id in subscription_ids:
            if monotonic() >= deadline:
                return
            try:
                bill_batch(only=id)
            except Exception:  # noqa: BLE001  the edge of one subscription: the others continue
                log.exception("subscription %s cannot be billed", id)
                now = timezone.now()
                # Pushed back, or it would head every batch from now on and make each of them fail.
                Subscription.objects.filter(pk=id, bill_at__lte=now).update(bill_at=now + WAIT)


def due_subscriptions(now: Moment) -> list[QuerySet[Subscription]]:
    """Return the subscriptions to be billed."""
    return [_due_subscriptions(now)]


def _due_subscriptions(now: Moment) -> QuerySet[Subscription]:
    rows: QuerySet[Subscription] = Subscription.objects.filter(is_primary=True, bill_at__lte=now)
    return rows


def bill_batch(limit: int = BATCH, *, only: str = "") -> int:
    """Bill a batch of due subscriptions of all companies, or the one that is named, in one transaction.

    Returns how many there were.
    """
    with unscoped(reason=ALL), transaction.atomic():
        now = timezone.now()
        # Counted before the lock: it includes what other workers have, since all of it reaches the gateways.
        waiting = _due_subscriptions(now).count()
        # Workers share the due rows by skipping each other's, so that none waits for a batch of another.
        locked = (
            _due_subscriptions(now)
            .select_for_update(skip_locked=True, of=("self",), no_key=True)
            .order_by("bill_at", "id")
        )
        rows = list(locked.filter(pk=only) if only else locked[:limit])
        batch = _billable(rows, now)
        details = CompanyDetails.read([renewal.company_id for renewal in batch])
        renewals = [renewal for renewal in batch if details.renews.get(renewal.company_id, True)]
        _hand_over([renewal.id for renewal in batch if not details.renews.get(renewal.company_id, True)], now)
        compute_lines(renewals, details)
        for renewal in renewals:
            if not renewal.priced:
                _fall_due(renewal, now)
        priced = [renewal for renewal in renewals if renewal.priced]
        _renew_free([renewal for renewal in priced if renewal.total <= 0], now)
        _bill([renewal for renewal in priced if renewal.total > 0], details, now, waiting)
    return len(rows)


def _billable(rows: Sequence[Subscription], now: datetime) -> list[Due]:
    """Return those whose next period is to be billed now. The others get the time of their next check."""
    # One query for each kind of row, whatever the size of the batch.
    plans = Plan.objects.in_bulk({id for row in rows for id in (row.plan_id, _scheduled_change(row).get("plan")) if id})
    versions = PlanVersion.objects.in_bulk({row.version_id for row in rows if row.version_id})
    orders = {
        order.subscription_id: order
        for order in Payment.objects.filter(subscription_id__in=[row.pk for row in rows], status=Payment.Status.OPEN)
    }
    billable = []
    for row in rows:
        end = row.period_end
        order = orders.get(row.pk)
        if row.status not in PAID or end is None or not row.plan_id:
            _bill_at(row, None)
        elif end > now:
            _bill_at(row, end)
        elif order is not None and order.renews == end:
            # This period is billed already, and waits for payment. The next one is billed a day from now at
            # the earliest: an outage would else be caught up by several bills at once.
            _bill_at(row, max(next_end(end, row), now + AHEAD))
        elif order is not None and not _cancel_unpaid(order):
            _bill_at(row, now + WAIT)
        else:
            billable.append(_due_of(row, end, plans, versions.get(row.version_id)))
    return billable


def _bill_at(row: Subscription, at: datetime | None) -> None:
    Subscription.objects.filter(pk=row.pk).update(bill_at=at)


def _cancel_unpaid(order: Payment) -> bool:
    """Cancel an order that is not being paid, because the renewal replaces it. Return whether it is closed."""
    with company_scope(order.company_id):
        # The batch read the order without a lock, and it may have been paid since.
        locked = Payment.objects.select_for_update(no_key=True).get(pk=order.pk)
        if locked.status != Payment.Status.OPEN:
            return True
        # Money may be on its way for this order. Closing it would turn that
        # into balance and ask for it again.
        if locked.bank_state in WAITING or locked.attempts.filter(status__in=OPEN_ATTEMPT, left_at=None).exists():
            return False
        close_order(locked)
        return True


def _scheduled_change(row: Subscription) -> JsonObject:
    return row.scheduled or {}


def _due_of(row: Subscription, end: datetime, plans: dict[str, Plan], version: PlanVersion | None) -> Due:
    """Return the terms to bill for a subscription: those scheduled for its next period, or its present ones."""
    change = _scheduled_change(row)
    plan = plans.get(change.get("plan") or "") or plans[row.plan_id]
    row.version = version
    interval = change.get("interval") or row.interval
    # Old terms belong to the plan that was bought under them. A change of plan gives them up.
    own_version = version_at(row, end) if plan.pk == row.plan_id else None
    return Due(
        id=row.pk,
        company_id=row.company_id,
        is_active=row.status == Subscription.Status.ACTIVE,
        plan=with_terms(plan, own_version),
        interval=interval,
        currency=row.currency,
        seats=change.get("seats") or row.seats,
        period_end=end,
        period_day=row.period_day,
        ends_at=row.ends_at,
        scheduled=row.scheduled,
        version=own_version,
        is_same=(plan.pk, interval) == (row.plan_id, row.interval),
    )


def _hand_over(ids: Sequence[str], now: datetime) -> None:
    """Leave those to the clock whose companies have turned renewal off: they end with their period."""
    if ids:
        Subscription.objects.filter(pk__in=ids).update(bill_at=None, look_at=now, updated_at=now)


def _fall_due(renewal: Due, now: datetime) -> None:
    """Make one past due that can't be billed, since its plan no longer has a price. Staff see it in the log."""
    log.error("subscription %s cannot be billed: its plan has no price for a %s", renewal.id, renewal.interval)
    with company_scope(renewal.company_id):
        subscription = Subscription.objects.select_related("plan").get(pk=renewal.id)
        subscription.bill_at = max(next_end(renewal.period_end, renewal), now + AHEAD)
        subscription.save(update_fields=["bill_at"])
        mark_renewal_past_due(subscription, note="the plan has no price to bill")


def _renew_free(batch: Sequence[Due], now: datetime) -> None:
    """Begin the periods that cost nothing, the one of now at once where some were slept over."""
    moves, changes = [], []
    for renewal in batch:
        start = renewal.period_end
        end = next_end(renewal.period_end, renewal)
        # A free period costs nothing to skip, so an outage is caught up in one step. Kept terms may end on
        # the way, and the plan's present price is not free then.
        while end <= now and not (renewal.version is not None and ends_by(renewal.version, end)):
            start = end
            end = next_end(end, renewal)
        ends_at = access_end(end)
        moves.append(moved_values(renewal, end, ends_at, (start, end), applied=renewal.scheduled is not None))
        after = {"period_start": start, "period_end": end, "ends_at": ends_at}
        changes.append(
            change_row(renewal, Action.RENEWED, {"period_end": renewal.period_end, "ends_at": renewal.ends_at}, after)
        )
    _move_all(moves, now)
    insert_rows(SubscriptionChange, changes)
    for renewal in batch:
        if renewal.chosen is not None:
            # Add-ons are rows of their own with a journal. Few periods change them,
            # so this one step is not set-based.
            with company_scope(renewal.company_id), lock_primary(renewal.company_id) as primary:
                set_subscription_items(
                    require_subscription(primary), addons_to_json(renewal.items), note="chosen for this period"
                )


def _bill(batch: Sequence[Due], details: CompanyDetails, now: datetime, waiting: int) -> None:
    """Make the order, the invoice with its lines and postings, and the collection of each.

    The invoices are numbered last, so that the lock of the series is held for the shortest time.
    """
    if not batch:
        return
    companies = [renewal.company_id for renewal in batch]
    methods = PaymentMethod.objects.filter(is_default=True, company_id__in=list(companies))
    charged = set(methods.values_list("company_id", flat=True))
    ends_at, spread = now + settings.GRACE_PERIOD, waiting / settings.COLLECTIONS_PER_SECOND
    # A few charges need no spreading, and companies need not wait for them.
    if spread < SECONDS_OF_CHARGES:
        spread = 0
    rows: dict[Any, list[JsonObject]] = {
        model: [] for model in (InvoiceLine, Posting, Payment, Dunning, SubscriptionChange)
    }
    moves, invoices = [], []
    for renewal in batch:
        end = next_end(renewal.period_end, renewal)
        invoice, payment = invoice_row(renewal, details, end, now), new_id()
        invoices.append(invoice)
        rows[InvoiceLine] += line_rows(renewal, invoice["id"])
        rows[Posting] += posting_rows(renewal, invoice)
        rows[Payment].append(payment_row(renewal, payment, invoice, details, now))
        # Thousands fall due in one minute on the first of a month. Spread at random, they stay below the
        # gateways' rate limits without workers that have to agree on a schedule.
        wait = random.uniform(0, spread) if renewal.company_id in charged else 0  # noqa: S311  no secret
        rows[Dunning].append(
            {"company_id": renewal.company_id, "payment_id": payment, "due_at": now + timedelta(seconds=wait)}
        )
        # Grace is given once. A company that is past due already and is billed again keeps its former end.
        open_until = (
            max(ends_at, renewal.ends_at or ends_at)
            if renewal.ends_at is None or renewal.is_active
            else renewal.ends_at
        )
        # The period itself does not move until the order is paid (docs/decisions/0023-billed-then-begun.md).
        moves.append(moved_values(renewal, max(end, now + AHEAD), open_until, None))
        rows[SubscriptionChange].append(
            change_row(
                renewal,
                Action.BILLED,
                {"ends_at": renewal.ends_at},
                {"ends_at": open_until},
                source=f"billed:{payment}",
            )
        )
    for model, model_rows in rows.items():
        insert_rows(model, model_rows)
    _move_all(moves, now)
    billed = (
        (charge.pk, issued["id"]) for renewal, issued in zip(batch, invoices, strict=True) for charge in renewal.charges
    )
    mark_billed(dict(billed))
    # Last of all: the row of the series is locked until the commit, and all
    # issuing in the service waits for it.
    _issue(invoices)
    notify_workers("dunning")


def _issue(invoices: list[JsonObject]) -> None:
    """Number the invoices and insert them. The caller should commit soon, because the series stays locked until
    then."""
    seller = get_seller()
    numbers, day = next_numbers("INV", seller, len(invoices))
    seller_party = invoice_party(seller)
    now = timezone.now()
    for invoice, number in zip(invoices, numbers, strict=True):
        invoice |= {"number": number, "issued_on": day, "issued_at": now, "due_at": now, "seller": seller_party}
    insert_rows(Invoice, invoices)
    emit_across(
        "invoice.issued", [(issued["company_id"], issued["id"], {"number": issued["number"]}) for issued in invoices]
    )


def _move_all(moves: Sequence[JsonObject], now: datetime) -> None:
    if moves:
        with connection.cursor() as cursor:
            # One statement for the batch, so that its locks are held briefly.
            cursor.execute(MOVE, [now, lines_to_json(moves)])
