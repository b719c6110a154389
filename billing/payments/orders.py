"""Orders: created from a quote, one open at a time, paid by a gateway, by bank or at once."""

from __future__ import annotations

import secrets
from datetime import date, timedelta

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from billing.coupons.holds import extend_hold
from billing.invoices.services import get_seller
from billing.ledger.services import BANK
from billing.payments.attempts import file_of, open_order
from billing.payments.models import Payment
from billing.payments.notices import tell_rejected
from billing.payments.settlement import ORDER_PAGE_LIFE, apply_payment, apply_received_money, cancel_stale, close_order
from billing.subscriptions.changes import lock_primary
from core.errors import NamedError, ValidationFailed
from core.ids import is_id
from core.tenancy import company_id, company_scope
from core.text.timezones import zone_of
from core.types import JsonObject

Bank = Payment.Bank
WAITING = (Bank.AWAITING, Bank.SUBMITTED)
BATCH = 200
ORDER_LIFE = ORDER_PAGE_LIFE
BANK_LIFE = timedelta(days=14)
"""Time after its creation for which an order paid by bank stays open."""
ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def new_order_number() -> str:
    """Return the number for a bank transfer: eight characters that are not mistaken for each other."""
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in secrets.token_bytes(8))  # 32 letters: all as likely


def cancel_open_order() -> None:
    """Leave the active company's open order, if there is one. The subscription is locked."""
    for payment in Payment.objects.select_for_update(no_key=True).filter(status=Payment.Status.OPEN):
        close_order(payment)


def cancel_for(field: str) -> None:
    """Cancel the open order for what a field asks. Raises BadRequest_400 if its bank transfer is being searched for."""
    # Closing the order would make a transfer that is already on its way arrive as mere balance, although
    # staff are about to find it. The company decides that, and not a side effect of another action.
    sent = Payment.objects.filter(status=Payment.Status.OPEN, bank_state=Bank.SUBMITTED).first()
    if sent is not None:
        text = f"we look for the bank transfer of order {sent.number}; wait for it, or take it back first"
        raise NamedError("BadRequest_400", text, field=field, operation=f"POST /manual-payment/{sent.pk}/choose-again")
    cancel_open_order()


def cancel_expired() -> bool:
    """Leave a batch of orders of all companies whose time is over. Returns whether there may be more."""
    # Read without locks, for all companies at once. Each order is read again under its locks
    # below, since its payment may come in before that.
    due = Payment.objects.filter(status=Payment.Status.OPEN, expires_at__lte=timezone.now()).order_by("expires_at")
    # A submitted transfer does not expire: the time that staff take must not cost the company its order.
    rows = list(due.exclude(bank_state=Bank.SUBMITTED).values_list("company_id", "pk")[:BATCH])
    for company, id in rows:
        with lock_primary(company):
            open_orders = Payment.objects.select_for_update(no_key=True).filter(pk=id, status=Payment.Status.OPEN)
            for payment in open_orders.exclude(bank_state=Bank.SUBMITTED):
                close_order(payment)
    return len(rows) == BATCH


# Bank transfers


def pay_by_bank(*, payment_id: str, values: JsonObject) -> Payment:
    """Pay an open order by bank transfer: awaited, and submitted once there is a proof.

    Raises ManualPaymentDetailsNotFound_400, FileNotFound_400, CouponInvalid_400 and BadRequest_400.
    """
    if not get_seller().bank_instructions:
        raise NamedError("BadRequest_400", "bank transfers are not on offer")
    # The subscription before its order, as everywhere in billing, so that payments cannot deadlock.
    with lock_primary(company_id()):
        payment = open_order(payment_id, lock=True)
        payment.bank_state = payment.bank_state or Bank.AWAITING
        # Counted from the order's creation, so that asking again cannot keep an old price alive for ever.
        payment.expires_at = max(payment.expires_at, payment.created_at + BANK_LIFE)
        return _submit(payment, values)


def change_transfer(*, payment_id: str, values: JsonObject) -> Payment:
    """Change the details of a company's bank transfer, until staff have decided.

    Raises ManualPaymentDetailsNotFound_400, FileNotFound_400 and BadRequest_400.
    """
    with lock_primary(company_id()):
        rows = Payment.objects.select_for_update(no_key=True).filter(pk=payment_id).exclude(bank_state=Bank.NONE)
        payment: Payment | None = rows.first()
        if payment is None:
            raise NamedError("ManualPaymentDetailsNotFound_400", "there is no such payment by bank", field="id")
        # What staff decided on must stay as they saw it, so the details cannot change afterwards.
        if payment.status != Payment.Status.OPEN or payment.bank_state not in WAITING:
            raise NamedError("BadRequest_400", f"the payment is {payment.bank_state or payment.status} by now")
        return _submit(payment, values)


def _submit(payment: Payment, values: JsonObject) -> Payment:
    proof = values.get("proof", payment.proof)
    if "proof" in values and is_id(proof):
        payment.proof_file_id = file_of(proof)
    payment.proof = proof
    for name in ("reference", "note", "transferred_on"):
        if name in values:
            setattr(payment, name, values[name])
    if payment.proof or payment.reference:
        payment.bank_state = Bank.SUBMITTED
    elif payment.bank_state == Bank.SUBMITTED:
        payment.bank_state = Bank.AWAITING  # nothing is left to look for
    extend_hold(payment.pk, until_decided=payment.bank_state == Bank.SUBMITTED)
    payment.save()
    return payment


def takes_rejection(payment: Payment) -> bool:
    """Return whether staff may reject an order's bank transfer as not received."""
    return payment.status == Payment.Status.OPEN and payment.bank_state in WAITING


def takes_approval(payment: Payment) -> bool:
    """Return whether staff may book an order's bank transfer; one that was left takes it too, as balance."""
    # A transfer takes days. One that was sent in time arrives after its order has expired, and is money
    # all the same, so staff can book it as balance.
    was_left = payment.status == Payment.Status.CANCELLED and payment.bank_state == Bank.EXPIRED
    return was_left or takes_rejection(payment)


def approve_transfer(*, payment: Payment, amount_minor: int, received_on: date, by: User) -> None:
    """Record a received bank transfer, and apply its order.

    The amount becomes the company's balance if the order was left, was paid after its time or can't be applied any
    more. Raises BadRequest_400 and ValidationFailed.
    """
    with company_scope(payment.company_id), lock_primary(payment.company_id) as subscription:
        locked = Payment.objects.select_for_update(no_key=True).get(pk=payment.pk)
        cancel_stale(locked, subscription)
        if _came_late(locked, received_on):
            close_order(locked)
        if not takes_approval(locked):
            raise NamedError("BadRequest_400", "this payment is not waiting for a decision")
        # Staff type the amount from the bank's statement. A partial payment would open a whole period, and an
        # excess would vanish from the books, so neither is accepted.
        if amount_minor != locked.amount_minor:
            raise ValidationFailed("another amount", "enter exactly the amount of the order", field="amount")
        if received_on > timezone.now().astimezone(zone_of(get_seller().timezone)).date():
            raise ValidationFailed("received_on is to come", "enter a day in the past", field="received_on")
        locked.bank_state = Bank.APPROVED
        locked.decided_at = timezone.now()
        locked.decided_by = by
        locked.transferred_on = received_on
        locked.save()
        apply_received_money(locked, account=BANK, by="bank", tx=f"pay:{locked.pk}")


def _came_late(payment: Payment, received_on: date) -> bool:
    """Return whether money has come after an order's time, which its price was for. A renewal's invoice stays
    payable."""
    # The day on which the bank received it decides, not the one on which staff get round to it.
    late = received_on > payment.expires_at.date()
    return late and payment.renews is None and payment.status == Payment.Status.OPEN and payment.bank_state in WAITING


def reject_transfer(*, payment: Payment, reason: str, by: User) -> None:
    """Reject a bank transfer: the order stays open, to be paid otherwise. Raises BadRequest_400."""
    with company_scope(payment.company_id), lock_primary(payment.company_id):
        locked = Payment.objects.select_for_update(no_key=True).get(pk=payment.pk)
        if not takes_rejection(locked):
            raise NamedError("BadRequest_400", "this payment is not waiting for a decision")
        # The coupon was held for as long as the decision took. From now on it is held for the usual time.
        if locked.bank_state == Bank.SUBMITTED:
            extend_hold(locked.pk)
        locked.bank_state = Bank.REJECTED
        locked.decision = reason[:300]
        locked.decided_at = timezone.now()
        locked.decided_by = by
        locked.save()
        tell_rejected(locked)


@transaction.atomic
def settle_free(payment: Payment) -> None:
    """Make an order paid that costs nothing more: free, or covered by the balance."""
    apply_payment(payment, account=BANK, by="balance", tx=f"pay:{payment.pk}")
