"""Pending charges: written when they arise, billed with the subscription's next invoice."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from django.db import connection
from django.db.models import Q, QuerySet
from django.utils import timezone

from billing.charges.models import Charge
from billing.invoices.services import Line
from core.hooks import Hook

log = logging.getLogger(__name__)
BATCH = 1000
GIVEN_UP_AFTER = timedelta(days=90)
"""Time after the end of a subscription when its unbilled charges are given up."""
before_charges_billed: Hook[[Sequence[str]], object] = Hook(
    __name__,
    "before_charges_billed",
    "Before the charges of subscriptions (ids) are billed, in that transaction. Writes the charges that are due.",
)
PENDING = Q(invoice__isnull=True, given_up_at__isnull=True)
BILL = """
UPDATE billing_charge AS charge SET invoice_id = given.invoice, updated_at = %s
FROM unnest(string_to_array(%s, ','), string_to_array(%s, ',')) AS given (charge, invoice)
WHERE charge.id = given.charge AND charge.invoice_id IS NULL
"""


def pending_charges(subscription_ids: Sequence[str]) -> QuerySet[Charge]:
    """Return the charges of the subscriptions that are on no invoice yet, the oldest first."""
    rows: QuerySet[Charge] = Charge.objects.filter(PENDING, subscription_id__in=list(subscription_ids))
    return rows.order_by("subscription_id", "created_at", "pk")


def owed_by(subscription_id: str) -> QuerySet[Charge]:
    """Return the charges that an order would bill: pending ones, and those on the invoice of an order that it
    replaces."""
    replaced = Q(invoice__isnull=True) | Q(invoice__number__isnull=True) | Q(invoice__payments__status="open")
    rows: QuerySet[Charge] = Charge.objects.filter(replaced, subscription_id=subscription_id, given_up_at__isnull=True)
    return rows.order_by("created_at", "pk")


def bill_pending(subscription_ids: Sequence[str]) -> dict[str, list[Charge]]:
    """Write the due charges of the subscriptions, then lock and return their pending charges, by subscription.

    The caller's transaction bills them: `line_of` creates a line of each, and `mark_billed` records its invoice. It
    takes a fixed number of statements, for one subscription or for thousands.
    """
    # Use of months that have ended is written as charges only now, by hooks that higher domains register.
    before_charges_billed.send(subscription_ids)
    charges: dict[str, list[Charge]] = defaultdict(list)
    # Locked until the invoice names them: another order of the company would bill them as well.
    for charge in pending_charges(subscription_ids).select_for_update(no_key=True, of=("self",)):
        charges[charge.subscription_id].append(charge)
    return dict(charges)


def line_of(charge: Charge) -> Line:
    """Return the line of an invoice for a charge. Prices of use have parts of a minor unit, so it is one amount."""
    return Line(text=charge.description, quantity=1, unit=charge.amount_minor, amount=charge.amount_minor)


def mark_billed(pairs: Mapping[str, str]) -> None:
    """Write charge -> invoice for charges that `bill_pending` has locked."""
    if pairs:
        with connection.cursor() as cursor:
            # Joined texts instead of arrays, which psycopg writes much slower.
            cursor.execute(BILL, [timezone.now(), ",".join(pairs), ",".join(pairs.values())])


def write_off_ended() -> bool:
    """Give up a batch of charges whose subscriptions have ended for long (a periodic task). Returns whether more wait.

    Until then the order by which a company comes back bills them. They are on no invoice, so that nothing is posted.
    """
    now = timezone.now()
    rows = Charge.objects.filter(PENDING, subscription__status__in=("cancelled", "expired"))
    ids = list(rows.filter(subscription__ends_at__lte=now - GIVEN_UP_AFTER).values_list("pk", flat=True)[:BATCH])
    # The condition is repeated: an order may have billed one of them since the ids were read.
    given_up = Charge.objects.filter(PENDING, pk__in=ids).update(given_up_at=now, updated_at=now)
    if given_up:
        log.info("%s charges of ended subscriptions are given up", given_up)
    return len(ids) == BATCH


def release(invoice_ids: Iterable[str]) -> None:
    """Release the charges of dropped drafts, so that another invoice bills them."""
    Charge.objects.filter(invoice_id__in=list(invoice_ids)).update(invoice=None, updated_at=timezone.now())
