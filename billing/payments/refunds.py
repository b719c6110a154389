"""Refunds: the credit note and the row first, then the gateway, which is asked whether it knows the refund already.

Above settings.REFUND_APPROVAL_ABOVE a second one of the staff approves a refund before anything else happens.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from fractions import Fraction
from time import monotonic

from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from accounts.models import User
from accounts.programs.rewards import claw_back, claw_back_part
from billing.gateways.accounts import account_of, gateway_client, record_account_health
from billing.gateways.base import AmbiguousOutcome, GatewayRefused, Misconfigured, RefundRequest
from billing.invoices.models import CreditNote, Invoice
from billing.invoices.services import credit_invoice
from billing.ledger.money import to_amount
from billing.ledger.services import BALANCE, RECEIVABLE, cash_account, post_transaction
from billing.payments.models import Attempt, Payment, Refund, Transaction
from billing.payments.processor import MAX_AMBIGUOUS_ATTEMPTS, MISCONFIGURED_WAIT
from core.errors import NamedError
from core.events import emit
from core.jobs import claim, notify_workers, release_after_error, update_owned
from core.jobs.leases import LeaseLost, backoff_delay
from core.tenancy import company_scope

log = logging.getLogger(__name__)
Status, To = Refund.Status, Refund.To
WORK = "refunds"


def refundable(attempt: Attempt) -> int:
    """Return the refundable rest of an attempt's money, in minor units.

    Requested, running and failed refunds are deducted (a failed one is tried again), and so are chargebacks.
    """
    if attempt.status != Attempt.Status.PAID or attempt.payment.status != Payment.Status.PAID:
        return 0
    # Failed refunds count: their credit notes stand, and staff may try them again at any time.
    refunded_sum = (
        Refund.objects.filter(attempt=attempt).exclude(status=Status.REJECTED).aggregate(sum=Sum("amount_minor"))
    )
    return int(attempt.payment.amount_minor - (refunded_sum["sum"] or 0) - attempt.disputed_minor)


def start_refund(*, attempt: Attempt, amount_minor: int, reason: str, by: User, to: str = To.GATEWAY) -> Refund:
    """Give money back, by the gateway that it came by or to the company's balance, with a credit note.

    Where all that was refunded of the attempt is more than settings.REFUND_APPROVAL_ABOVE, another one of the staff has
    to approve it first. Raises BadRequest_400.
    """
    with _lock_attempt(attempt) as locked_attempt:
        remaining = refundable(locked_attempt)
        payment = locked_attempt.payment
        # Money that became balance when it came has no payment in the books that could be taken back: the
        # company would get it twice, as balance and from the gateway.
        booked = Transaction.objects.filter(
            payment=payment, kind=Transaction.Kind.PAYMENT, by=f"gateway-{locked_attempt.letter}"
        ).exists()
        if not booked or not 0 < amount_minor <= remaining:
            raise NamedError(
                "BadRequest_400", f"enter at most {remaining if booked else 0} minor units", field="amount"
            )
        values = {"amount_minor": amount_minor, "currency": payment.currency, "reason": reason[:300], "by": by}
        row: Refund = Refund.objects.create(attempt=locked_attempt, status=Status.ASKED, to=to, **values)
        # The sum of all refunds counts, so that no one passes the limit by many small ones.
        back = to_amount(payment.amount_minor - remaining + amount_minor, payment.currency)
        if back <= settings.REFUND_APPROVAL_ABOVE:
            _begin(row)
    return row


def approve_refund(*, refund: Refund, by: User) -> None:
    """Approve a refund that another person has requested. Raises BadRequest_400."""
    with _lock_attempt(refund.attempt) as attempt:
        row = _lock_asked_refund(refund)
        # Without a second person, one stolen account of the staff could give away any amount.
        if row.by_id == by.pk:
            raise NamedError("BadRequest_400", "somebody else has to approve what you have asked for")
        if refundable(attempt) < 0:  # the refund is in it
            raise NamedError("BadRequest_400", "there is less left of the payment by now; reject it and ask anew")
        row.decided_by = by
        row.decided_at = timezone.now()
        _begin(row)


def reject_refund(*, refund: Refund, reason: str, by: User) -> None:
    """Reject a refund that was asked for, or take one's own back. Raises BadRequest_400."""
    with _lock_attempt(refund.attempt):
        row = _lock_asked_refund(refund)
        row.status = Status.REJECTED
        row.decided_by = by
        row.decided_at = timezone.now()
        row.decision = reason[:300]
        row.save()


def retry_refund(*, refund: Refund) -> None:
    """Ask the gateway again for a refund that it has refused or left unanswered. Raises BadRequest_400."""
    with _lock_attempt(refund.attempt):
        rows = Refund.objects.filter(pk=refund.pk, status__in=(Status.FAILED, Status.UNKNOWN))
        # The condition is part of the update: a worker may have finished the refund since the page was shown.
        if not rows.update(status=Status.DUE, due_at=timezone.now(), attempts=0, error=""):
            raise NamedError("BadRequest_400", f"the refund is {refund.get_status_display()}")
        notify_workers(WORK)


def move_to_balance(*, refund: Refund) -> None:
    """Give the money of a refund that the gateway refuses to the company's balance instead. Raises BadRequest_400."""
    with _lock_attempt(refund.attempt):
        row = Refund.objects.select_for_update(no_key=True).get(pk=refund.pk)
        # Only a refusal proves that no money went back. An unknown outcome must
        # be settled at the gateway first.
        if row.status != Status.FAILED:
            raise NamedError("BadRequest_400", f"the refund is {row.get_status_display()}")
        row.to = To.BALANCE
        row.save(update_fields=["to", "updated_at"])
        _book(row, "")


def takes_credit(payment: Payment) -> bool:
    """Return whether a paid order has money that no gateway could give back: it came by bank, or from the balance."""
    by_bank = payment.bank_state == Payment.Bank.APPROVED
    return payment.status == Payment.Status.PAID and (by_bank or payment.credit_minor > 0)


def credit_order(*, payment: Payment, amount_minor: int, reason: str, by: User) -> CreditNote:
    """Credit money of an order that was paid by bank or from the balance to the company's balance, with a credit note.

    Returns the note. Above settings.REFUND_APPROVAL_ABOVE in all, credits of a transfer require another person than the
    one who approved the transfer. Raises BadRequest_400.
    """
    with company_scope(payment.company_id), transaction.atomic():
        # Locked so that two refunds cannot each fit and exceed the payment together.
        order = (
            Payment.objects.select_related("invoice").select_for_update(of=("self",), no_key=True).get(pk=payment.pk)
        )
        is_bank_paid = Transaction.objects.filter(payment=order, kind=Transaction.Kind.PAYMENT, by="bank").exists()
        invoice = Invoice.objects.select_for_update(no_key=True).get(pk=order.invoice_id)
        # Credit notes limit what can be given back here, since a transfer has no attempt that could count it.
        notes = CreditNote.objects.filter(
            invoice=invoice, refunds__isnull=True
        )  # notes of refunds belong to an attempt
        credited_sum = notes.aggregate(sum=Sum("amount_minor"))["sum"] or 0
        total = order.credit_minor + (order.amount_minor if is_bank_paid else 0)
        remaining = total - credited_sum if order.status == Payment.Status.PAID else 0
        if not 0 < amount_minor <= remaining:
            raise NamedError("BadRequest_400", f"enter at most {max(0, remaining)} minor units", field="amount")
        credited = to_amount(credited_sum + amount_minor, order.currency)
        # Approving a transfer that never came and crediting it would create money, so it takes two people.
        if is_bank_paid and credited > settings.REFUND_APPROVAL_ABOVE and order.decided_by_id in (None, by.pk):
            raise NamedError("BadRequest_400", "somebody else than who approved the transfer has to do this")
        note = credit_invoice(invoice, amount_minor, reason[:300])
        _give(order, amount_minor, tx=f"ref:{note.pk}", account=BALANCE, to=To.BALANCE, by="balance")
        take_reward_back(order, amount_minor, key=note.pk, note="refunded")
    return note


@contextmanager
def _lock_attempt(attempt: Attempt) -> Iterator[Attempt]:
    """Lock an attempt and its order, in the scope of its company and a transaction."""
    with company_scope(attempt.company_id), transaction.atomic():
        # The order before its attempt, as the settlement does.
        Payment.objects.select_for_update(no_key=True).get(pk=attempt.payment_id)
        rows = Attempt.objects.select_related("payment").select_for_update(of=("self",), no_key=True)
        yield rows.get(pk=attempt.pk)


def _lock_asked_refund(refund: Refund) -> Refund:
    # Read under the lock: of two people who decide, the second one gets an error.
    row: Refund = Refund.objects.select_for_update(no_key=True).get(pk=refund.pk)
    if row.status != Status.ASKED:
        raise NamedError("BadRequest_400", f"the refund is {row.get_status_display()}")
    return row


def _begin(row: Refund) -> None:
    """Issue the credit note of an approved refund whose order is locked, and queue or book the money."""
    invoice = Invoice.objects.select_for_update(no_key=True).get(pk=row.attempt.payment.invoice_id)
    # The note is issued before the gateway is asked. If the process dies in between, the books still say
    # what is owed, and the worker goes on from the row.
    row.credit_note = credit_invoice(invoice, row.amount_minor, row.reason)
    row.status = Status.DUE
    row.due_at = timezone.now()
    row.save()
    if row.to == To.BALANCE:
        _book(row, "")
    else:
        notify_workers(WORK)


def work(deadline: float) -> None:
    """Make due refunds, one by one, until none is left or monotonic() passes the deadline."""
    while monotonic() < deadline:
        rows = claim(Refund, limit=1)
        if not rows:
            return
        with company_scope(rows[0].company_id):
            try:
                run(rows[0])
            except LeaseLost:
                log.warning("refund %s was taken over by another worker", rows[0].pk)
            except Exception as error:  # noqa: BLE001  the edge of one refund: the others continue
                log.exception("refund %s cannot go on", rows[0].pk)
                parked = rows[0].attempts > MAX_AMBIGUOUS_ATTEMPTS
                status = Status.UNKNOWN if parked else Status.DUE
                release_after_error(rows[0], error, status=status)


def run(row: Refund) -> None:
    """Look whether the gateway has made the refund, else ask for it, and book it."""
    account = account_of(row.attempt.letter)
    request = RefundRequest(
        reference=row.pk, payment_ref=row.attempt.payment_ref, amount=row.amount_minor, currency=row.currency
    )
    try:
        # The letter may have been given to another gateway since. Its server knows nothing of this payment.
        if account is None or account.adapter != row.attempt.adapter:
            raise Misconfigured(f"gateway-{row.attempt.letter} is another one by now")
        with record_account_health(account):
            gateway = gateway_client(account)
            # Idempotency keys expire (Stripe's after 24 hours or more), and an earlier response may have been
            # lost. Asking first is what prevents a second refund.
            id = gateway.find_refund(request) or gateway.refund(request)
    except Misconfigured as error:
        _wait(row, MISCONFIGURED_WAIT, str(error))
    except AmbiguousOutcome as error:
        if row.attempts > MAX_AMBIGUOUS_ATTEMPTS:
            update_owned(row, status=Status.UNKNOWN, worker=None, error=str(error)[:500])
        else:
            _wait(row, backoff_delay(row.attempts, base=settings.PAYMENT_BACKOFF), str(error))
    except GatewayRefused as error:
        # Its credit note stands: staff try again, or the balance takes it.
        log.error("refund %s is refused: %s", row.pk, error.code)
        update_owned(row, status=Status.FAILED, worker=None, error=error.code[:500])
    else:
        _book(row, id)


def _wait(row: Refund, wait: timedelta, reason: str) -> None:
    retry_at = timezone.now() + wait
    update_owned(row, status=Status.DUE, due_at=retry_at, worker=None, deaths=0, error=reason[:500])


@transaction.atomic
def book_found(row: Refund, gateway_id: str) -> None:
    """Book a refund that the gateway has made, even if its response was lost. Booked once."""
    _book(row, gateway_id)


@transaction.atomic
def _book(row: Refund, gateway_id: str) -> None:
    payment = row.attempt.payment
    # Asked and rejected rows are left out: without a credit note nothing may be
    # booked. Done ones make it idempotent.
    open_ones = Refund.objects.filter(pk=row.pk).exclude(status__in=(Status.DONE, Status.ASKED, Status.REJECTED))
    values = {"status": Status.DONE, "gateway_id": gateway_id, "worker": None, "error": ""}
    if not open_ones.update(updated_at=timezone.now(), **values):
        return
    to_balance = row.to == To.BALANCE
    letter = row.attempt.letter
    account, by = (BALANCE, "balance") if to_balance else (cash_account(letter), f"gateway-{letter}")
    _give(payment, row.amount_minor, tx=f"ref:{row.pk}", account=account, to=row.to, by=by)
    take_reward_back(payment, row.amount_minor, key=row.pk, note="refunded")


def _give(payment: Payment, amount: int, *, tx: str, account: str, to: str, by: str) -> None:
    """Book the refunded money of an order and emit the event."""
    currency, invoice_id = payment.currency, payment.invoice_id
    post_transaction(tx, currency, [(RECEIVABLE, amount), (account, -amount)], about=invoice_id)
    kind = Transaction.Kind.CREDIT if to == To.BALANCE else Transaction.Kind.REFUND
    Transaction.objects.create(
        kind=kind, amount_minor=amount, currency=currency, by=by, payment=payment, invoice_id=invoice_id
    )
    emit("payment.refunded", [payment.pk], payloads={payment.pk: {"amountMinor": amount, "to": to}})


def take_reward_back(payment: Payment, amount: int, *, key: str, note: str) -> None:
    """Take the referrer's reward back for money of an order that was returned: a share of it, or all."""
    source = f"invoice:{payment.invoice_id}"
    total = payment.invoice.total_minor
    # All of a reward is withdrawn exactly; only partial amounts are subject to rounding.
    if amount >= total:
        claw_back(source=source, note=note)
    else:
        claw_back_part(source=source, share=Fraction(amount, total), key=key, note=note)
