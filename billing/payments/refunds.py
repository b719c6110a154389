"""Refunds: the credit note and the row first, then the gateway, which is asked whether it knows the refund already."""

from __future__ import annotations

import logging
from datetime import timedelta
from time import monotonic

from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from accounts.models import User
from accounts.programs.rewards import claw_back
from billing.gateways.accounts import account_of, noting_trouble, speaking_for
from billing.gateways.base import Misconfigured, Refunding, Refused, Unsure
from billing.invoices.models import Invoice
from billing.invoices.services import credit
from billing.ledger.services import RECEIVABLE, cash, post
from billing.payments.machine import MISCONFIGURED_WAIT, MOST_DOUBTS
from billing.payments.models import Attempt, Payment, Refund, Transaction
from core.errors import NamedError
from core.events import emit
from core.jobs import claim, notify_workers, update_owned
from core.jobs.leases import LeaseLost, backoff, has_due
from core.tenancy import company_scope

log = logging.getLogger(__name__)
Status = Refund.Status
WORK = "refunds"


def refundable(attempt: Attempt) -> int:
    """Return what is left of an attempt's money, in minor units; what is under way has left already."""
    if attempt.status != Attempt.Status.PAID or attempt.payment.status != Payment.Status.PAID:
        return 0
    gone = Refund.objects.filter(attempt=attempt).exclude(status=Status.FAILED).aggregate(sum=Sum("amount_minor"))
    return int(attempt.payment.amount_minor - (gone["sum"] or 0))


def start_refund(*, attempt: Attempt, amount_minor: int, reason: str, by: User) -> Refund:
    """Start to give money back by the gateway that it came by, with a credit note. Raises BadRequest_400."""
    with company_scope(attempt.company_id), transaction.atomic():
        payment = Payment.objects.select_for_update(no_key=True).get(pk=attempt.payment_id)
        rows = Attempt.objects.select_related("payment").select_for_update(of=("self",), no_key=True)
        locked = rows.get(pk=attempt.pk)
        invoice = Invoice.objects.select_for_update(no_key=True).get(pk=payment.invoice_id)
        booked = Transaction.objects.filter(
            payment=payment, kind=Transaction.Kind.PAYMENT, by=f"gateway-{locked.letter}"
        ).exists()
        if not booked or not 0 < amount_minor <= refundable(locked):
            raise NamedError("BadRequest_400", f"amount: at most {refundable(locked) if booked else 0} minor units")
        note = credit(invoice, amount_minor, reason)
        row: Refund = Refund.objects.create(
            attempt=locked, credit_note=note, amount_minor=amount_minor, currency=payment.currency, by=by
        )
        notify_workers(WORK)
    return row


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


def has_work() -> bool:
    return has_due(Refund)


def run(row: Refund) -> None:
    """Look whether the gateway has made the refund, else ask for it, and book it."""
    account = account_of(row.attempt.letter)
    asked = Refunding(row.pk, row.attempt.payment_ref, row.amount_minor, row.currency)
    try:
        if account is None or account.adapter != row.attempt.adapter:
            raise Misconfigured(f"gateway-{row.attempt.letter} is another one by now")
        with noting_trouble(account):
            gateway = speaking_for(account)
            id = gateway.find_refund(asked) or gateway.refund(asked)
    except Misconfigured as trouble:
        _wait(row, MISCONFIGURED_WAIT, str(trouble))
    except Unsure as doubt:
        if row.attempts > MOST_DOUBTS:
            update_owned(row, status=Status.UNKNOWN, worker=None, error=str(doubt)[:500])
        else:
            _wait(row, backoff(row.attempts, base=settings.PAYMENT_BACKOFF), str(doubt))
    except Refused as refused:
        # Its credit note stands: staff give the money back otherwise, or the balance takes it.
        log.error("refund %s is refused: %s", row.pk, refused.code)
        update_owned(row, status=Status.FAILED, worker=None, error=refused.code[:500])
    else:
        _book(row, id)


def _wait(row: Refund, wait: timedelta, reason: str) -> None:
    due = timezone.now() + wait
    update_owned(row, status=Status.DUE, due_at=due, worker=None, deaths=0, error=reason[:500])


@transaction.atomic
def _book(row: Refund, gateway_id: str) -> None:
    payment, invoice_id = row.attempt.payment, row.attempt.payment.invoice_id
    update_owned(row, status=Status.DONE, gateway_id=gateway_id, worker=None, error="")
    amount, letter = row.amount_minor, row.attempt.letter
    post(f"ref:{row.pk}", row.currency, [(RECEIVABLE, amount), (cash(letter), -amount)], about=invoice_id)
    Transaction.objects.create(
        kind=Transaction.Kind.REFUND,
        amount_minor=amount,
        currency=row.currency,
        by=f"gateway-{letter}",
        payment=payment,
        invoice_id=invoice_id,
    )
    emit("payment.refunded", [payment.pk], payloads={payment.pk: {"amountMinor": amount}})
    if refundable(row.attempt) == 0:
        claw_back(source=f"invoice:{invoice_id}", note="refunded")
