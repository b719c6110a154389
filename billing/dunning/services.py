"""The collection of renewals: each step runs under the subscription's lock, in one transaction with its mails.

A charge is an attempt of the payment machine, which opens it, polls it and moves the money (docs/decisions/0022). Its
outcome makes the row here due again. Without a saved method, the company is asked to pay.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.members.notices import notify
from accounts.models import Company, User
from billing.dunning.models import Dunning
from billing.dunning.schedule import is_hard, next_try
from billing.invoices.services import write_off
from billing.ledger.money import sum_text
from billing.ledger.services import BANK
from billing.payments.hooks import WORK as PAYMENTS
from billing.payments.models import Attempt, Payment, PaymentMethod
from billing.payments.settlement import apply_payment, close_order, is_stale
from billing.subscriptions.changes import Action, apply_change, lock_primary
from billing.subscriptions.models import PAID, Subscription
from billing.subscriptions.renewals import mark_renewal_past_due
from core.errors import NamedError
from core.jobs import claim, notify_workers, release_after_error, update_owned
from core.jobs.leases import LeaseLost
from core.tenancy import company_scope
from core.text.timezones import zone_of

log = logging.getLogger(__name__)
Status = Dunning.Status
WORK = "dunning"
OPEN_ATTEMPT = ("due", "working", "wrong", "unknown")
HOLD_TIME = timedelta(days=1)
"""Minimum extension of access during an uncertain charge."""
STEP_FIELDS = ("since", "tries", "next_try_at", "method_id", "reason", "notices")
"""The fields that a step changes."""
DAILY = timedelta(days=1)


def work(deadline: float) -> None:
    """Take the due steps, one by one, until none is left or monotonic() passes the deadline."""
    while monotonic() < deadline:
        rows = claim(Dunning, limit=1)
        if not rows:
            return
        with company_scope(rows[0].company_id):
            try:
                run(rows[0])
            except LeaseLost:
                log.warning("dunning %s was taken over by another worker", rows[0].pk)
            except Exception as error:  # noqa: BLE001  the edge of one renewal: the others continue
                log.exception("dunning %s cannot go on", rows[0].pk)
                release_after_error(rows[0], error, status=Status.DUE)


def run(row: Dunning) -> None:
    """Take the next step of a claimed row, and release it."""
    with lock_primary(row.company_id) as subscription:
        rows = Payment.objects.select_for_update(of=("self",), no_key=True).select_related("invoice", "plan")
        payment = rows.get(pk=row.payment_id)
        goes_on = subscription is not None and _step(row, subscription, payment)
        # Check each day at least, in case a notification of the gateway was lost.
        times = [at for at in (row.next_try_at, subscription and subscription.ends_at) if at and at > timezone.now()]
        update_owned(
            row,
            status=Status.DUE if goes_on else Status.DONE,
            due_at=min([*times, timezone.now() + DAILY]),
            worker=None,
            deaths=0,
            attempts=0,
            **{
                name: getattr(row, name) for name in ("since", "tries", "next_try_at", "method_id", "reason", "notices")
            },
        )


def _step(row: Dunning, subscription: Subscription, payment: Payment) -> bool:
    """Take the step that is due. Returns whether another one may follow."""
    if payment.status == Payment.Status.CANCELLED:
        return _bill_again(subscription, payment)
    if payment.status != Payment.Status.OPEN:
        return False
    # Staff have moved the period since, so the invoice names one that no longer exists.
    if is_stale(payment, subscription):
        close_order(payment)
        return False
    # The company's balance covers it all, and no gateway takes an amount of zero.
    if payment.amount_minor == 0:
        apply_payment(payment, account=BANK, by="balance", tx=f"pay:{payment.pk}")
        return False
    if subscription.status not in PAID:
        return False  # it can still be paid until the order is over
    attempt = payment.attempts.filter(left_at__isnull=True, status__in=OPEN_ATTEMPT).first()
    # A charge that waits for its customer blocks the order. Left alone, it would wait until it expires.
    if attempt is not None and attempt.kind == Attempt.Kind.CHARGE and attempt.seen.get("said") == "action":
        _leave_to_customer(row, subscription, payment, attempt)
    elif attempt is not None:
        if attempt.kind == Attempt.Kind.CHARGE:
            _hold(subscription)
    elif payment.bank_state != Payment.Bank.SUBMITTED:
        # While staff look for a transfer, a charge could pay the order a second time.
        _collect(row, subscription, payment)
    return True


def _bill_again(subscription: Subscription, payment: Payment) -> bool:
    """Schedule a new bill for a period whose order was cancelled in favor of another order that is unpaid too."""
    if subscription.status not in PAID or is_stale(payment, subscription):
        return False
    # A company has one open order. This one waits for its end, and is billed again if it is not paid.
    if Payment.objects.filter(status=Payment.Status.OPEN).exists():
        return True
    subscription.bill_at = timezone.now()
    subscription.save(update_fields=["bill_at", "updated_at"])
    return False


def _collect(row: Dunning, subscription: Subscription, payment: Payment) -> None:
    """Record a refusal, charge the company's method if it is due, and request the payment if there is no method."""
    now = timezone.now()
    last = payment.attempts.filter(kind=Attempt.Kind.CHARGE).order_by("-created_at", "-pk").first()
    # The key of the try says that its refusal was handled, so that a second look does not count it again.
    is_notified = not row.notices.keys().isdisjoint({f"failed:{row.tries}", f"action:{row.tries}"})
    if last is not None and last.status == Attempt.Status.FAILED and not is_notified:
        _schedule_retry(row, subscription, payment, last, now)
    method = PaymentMethod.objects.filter(is_default=True).first()
    if method is None:
        row.next_try_at = None
        _fall_due(row, subscription, now)
        if not row.notices:
            _notify_owners(row, "invoice.due", "asked:0", subscription, payment)
        return
    # Try a new card at once, even after a hard decline: the mail has asked for one.
    is_new = row.method_id != method.pk
    if is_new or (row.next_try_at is not None and row.next_try_at <= now):
        row.tries = row.tries + 1
        row.method = method
        row.next_try_at = None
        charge(payment, method)


def charge(payment: Payment, method: PaymentMethod) -> Attempt:
    """Begin to charge an open order to a saved method, in the caller's transaction."""
    attempt: Attempt = Attempt.objects.create(
        payment=payment,
        kind=Attempt.Kind.CHARGE,
        letter=method.letter,
        adapter=method.adapter,
        method=method,
        save_method=False,
    )
    notify_workers(PAYMENTS)
    return attempt


def _schedule_retry(row: Dunning, subscription: Subscription, payment: Payment, last: Attempt, now: datetime) -> None:
    _fall_due(row, subscription, now)
    zone = zone_of(Company.objects.values_list("timezone", flat=True).get(pk=row.company_id))
    first = payment.invoice.issued_at or now
    row.reason = last.reason
    # Card networks fine merchants who repeat a charge that was refused for good, as for a stolen card.
    row.next_try_at = None if is_hard(last.reason) else next_try(first, row.tries, settings.DUNNING_DAYS, zone, now)
    method = PaymentMethod.objects.filter(pk=row.method_id).first()
    _notify_owners(
        row, "payment.failed", f"failed:{row.tries}", subscription, payment, method=method.label if method else ""
    )


def _leave_to_customer(row: Dunning, subscription: Subscription, payment: Payment, attempt: Attempt) -> None:
    """Stop a charge that its customer has to confirm, so that the order can be paid on a page, and notify the
    company."""
    attempt.left_at = timezone.now()
    attempt.save(update_fields=["left_at", "updated_at"])
    _fall_due(row, subscription, attempt.left_at)
    row.reason = "action"
    row.next_try_at = None
    _notify_owners(row, "payment.action_needed", f"action:{row.tries}", subscription, payment)


def _hold(subscription: Subscription) -> None:
    """Keep access open while a gateway does not answer: that is no fault of the company's."""
    ends = subscription.ends_at
    least = timezone.now() + HOLD_TIME
    # Extended before it ends, and for more than the wait until the next look,
    # or access would lapse in between.
    if ends is not None and ends < least + DAILY:
        apply_change(subscription, Action.EXTENDED, note="the gateway has not answered", ends_at=least + DAILY)


def _fall_due(row: Dunning, subscription: Subscription, now: datetime) -> None:
    row.since = row.since or now
    mark_renewal_past_due(subscription)


def _notify_owners(
    row: Dunning, notice: str, key: str, subscription: Subscription, payment: Payment, **context: Any
) -> None:
    """Notify the owners, once for each key."""
    if key in row.notices:
        return
    # Saved in the transaction that queues the mail: both happen or neither, so no owner is notified twice.
    row.notices = {**row.notices, key: timezone.now().isoformat()}
    context |= {
        "subscription": subscription,
        "company": Company.objects.only("name").get(pk=row.company_id),
        "plan": payment.plan.name if payment.plan else "",
        "end": subscription.ends_at,
        "payment": payment,
        "invoice": payment.invoice,
        "amount": sum_text(payment.amount_minor, payment.currency),
        "next_try": row.next_try_at,
    }
    notify(notice, context, about=("plans", subscription.pk))


def wake() -> None:
    """Let the active company's collection continue now, in the transaction of the event that it waited for."""
    if Dunning.objects.filter(status=Status.DUE).update(due_at=timezone.now()):
        notify_workers(WORK)


@transaction.atomic
def retry_now(*, company_id: str) -> Dunning:
    """Charge the company's open renewal to its method now. Raises BadRequest_400 where there is nothing to charge."""
    with lock_primary(company_id):
        # The subscription is locked first: every path of billing takes it before its rows.
        row = (
            Dunning.objects.select_for_update(of=("self",), no_key=True)
            .filter(status__in=(Status.DUE, Status.FAILED), payment__status=Payment.Status.OPEN)
            .first()
        )
        if row is None:
            raise NamedError("BadRequest_400", "no renewal waits to be paid")
        if not PaymentMethod.objects.filter(is_default=True).exists():
            raise NamedError("BadRequest_400", "no method is saved that could be charged; pay the order instead")
        if row.payment.attempts.filter(left_at__isnull=True, status__in=OPEN_ATTEMPT).exists():
            raise NamedError("BadRequest_400", "the order is being paid; look at it again in some minutes")
        row.next_try_at = row.due_at = timezone.now()
        row.status = Status.DUE
        row.save(update_fields=["next_try_at", "due_at", "status", "updated_at"])
        notify_workers(WORK)
        dunning: Dunning = row
    return dunning


def write_off_renewal(*, row: Dunning, by: User, note: str) -> None:
    """Write a renewal off that will not be paid: the order is left, and its invoice is uncollectible.

    Raises BadRequest_400 for one that is paid or being paid.
    """
    with lock_primary(row.company_id):
        rows = Payment.objects.select_for_update(of=("self",), no_key=True).select_related("invoice")
        payment = rows.get(pk=row.payment_id)
        busy = payment.attempts.filter(left_at__isnull=True, status__in=OPEN_ATTEMPT).exists()
        if payment.status != Payment.Status.OPEN or busy:
            raise NamedError("BadRequest_400", "it is paid, left or being paid")
        write_off(payment.invoice)
        close_order(payment)
        reason = f"written off by {by.pk}: {note}"[:300]
        values = {"status": Status.DONE, "reason": reason, "next_try_at": None, "updated_at": timezone.now()}
        Dunning.objects.filter(pk=row.pk).update(**values)
