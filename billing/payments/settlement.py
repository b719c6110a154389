"""The settlement of orders: the only place that marks one paid, by a gateway, a bank transfer or the balance.

The worker, a webhook, the return page and the capture may call `settle` for one attempt at once. It works under the
order's lock, and a paid order stays paid.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from billing.addons.services import set_items
from billing.charges.services import release
from billing.coupons.holds import redeem
from billing.coupons.holds import release as release_coupon
from billing.gateways.base import PaymentState, PaymentUpdate, SavedMethod
from billing.invoices.models import Invoice
from billing.invoices.services import issue, mark_paid, take_back
from billing.ledger.money import sum_text, to_amount
from billing.ledger.services import BALANCE, BANK, RECEIVABLE, balance_of, cash_account, post_transaction
from billing.payments.models import Attempt, Payment, PaymentMethod, Transaction
from billing.payments.notices import tell_received
from billing.subscriptions.changes import Action, apply_change, lock_primary
from billing.subscriptions.models import OPEN, Subscription
from billing.subscriptions.renewals import Terms, open_period
from billing.subscriptions.services import change_subscription
from core.crypto import lookup_hash
from core.errors import ApiError, NamedError
from core.events import emit
from core.hooks import Hook
from core.tenancy import company_id
from core.types import JsonObject, Values

log = logging.getLogger(__name__)
Status, Kind = Attempt.Status, Transaction.Kind
FINAL = (Status.PAID, Status.WRONG)
ORDER_PAGE_LIFE = timedelta(days=1)
"""Time after its creation within which an order may be paid at a gateway: its price is that day's."""
payment_method_changed: Hook[[], object] = Hook(
    __name__,
    "payment_method_changed",
    "After a charge of the active company was refused or needs a confirmation, or a payment method was saved, in that"
    " transaction. Continues its dunning.",
)


def accepts_gateways(payment: Payment) -> bool:
    """Return whether an open order may be paid at a gateway. It may for a day, because credit and coupons decay.

    A renewal's invoice is issued, and stays payable.
    """
    return payment.renews is not None or payment.created_at > timezone.now() - ORDER_PAGE_LIFE


@transaction.atomic
def settle(attempt_id: str, update: PaymentUpdate) -> Attempt:
    """Apply a gateway's status to an attempt of the active company, and its order. Return the attempt.

    Paid is final. An amount, currency or reference other than the order's parks the attempt as wrong, and opens
    nothing. Money for an order that can no longer take effect becomes balance. Raises nothing for known states.
    """
    # This read only finds the order. The locks are taken in the order that every writer keeps: subscription,
    # order, attempt. Two workers that settle one order can then wait for each other, but not deadlock.
    attempt: Attempt = Attempt.objects.get(pk=attempt_id)
    with lock_primary(company_id()) as subscription:
        # FOR NO KEY UPDATE leaves inserts of rows that refer to the order unblocked: their foreign keys take
        # FOR KEY SHARE, with which FOR UPDATE would conflict.
        payment = Payment.objects.select_for_update(no_key=True).get(pk=attempt.payment_id)
        cancel_stale(payment, subscription)
        attempt = Attempt.objects.select_for_update(no_key=True).get(pk=attempt_id)
        # A webhook, the return page and the worker may bring the same news.
        # The second one finds it done.
        if attempt.status in FINAL:
            return attempt
        # Kept for staff and for the collection, which reads from it that a bank wants a confirmation.
        attempt.seen = {"said": update.state, "amount": update.amount, "currency": update.currency}
        # The first id stays: it is the one that was committed before money moved.
        attempt.gateway_id = attempt.gateway_id or update.gateway_id
        if update.state is PaymentState.PAID:
            _settle_paid(payment, attempt, update)
        elif update.state is PaymentState.FAILED:
            attempt.status = Status.FAILED
            attempt.reason = (update.reason or "not paid")[:300]
        attempt.save()
        if attempt.kind == Attempt.Kind.CHARGE and update.state in (PaymentState.FAILED, PaymentState.ACTION):
            payment_method_changed.send()
    return attempt


def is_stale(payment: Payment, subscription: Subscription | None) -> bool:
    """Return whether a renewal is obsolete: staff have moved the period, or the subscription is cancelled."""
    if payment.renews is None:
        return False
    cancelled = subscription is None or subscription.status == Subscription.Status.CANCELLED
    return cancelled or (subscription is not None and subscription.period_end != payment.renews)


def cancel_stale(payment: Payment, subscription: Subscription | None) -> None:
    """Cancel a locked renewal that is obsolete; money already paid becomes balance."""
    if payment.status == Payment.Status.OPEN and is_stale(payment, subscription):
        close_order(payment)


def _settle_paid(payment: Payment, attempt: Attempt, update: PaymentUpdate) -> None:
    # Nothing that a gateway reports is taken on trust. A page for another order, or one whose amount was
    # altered on the way, would otherwise open a period that is not paid.
    expected = (payment.amount_minor, payment.currency, attempt.pk)
    attempt.payment_ref = update.payment_ref
    if (update.amount, update.currency, update.reference) != expected:
        attempt.status = Status.WRONG
        attempt.reason = f"the gateway says {sum_text(update.amount, update.currency)} for {update.reference}"[:300]
        log.error("attempt %s is parked: it should be %s", attempt.pk, expected)
        return
    attempt.status = Status.PAID
    attempt.reason = ""
    attempt.save()  # before the events of the opened period, which refer to it
    if update.method and attempt.save_method:
        save_method(attempt.letter, attempt.adapter, update.method)
    booking = {"account": cash_account(attempt.letter), "by": f"gateway-{attempt.letter}", "tx": f"pay:{attempt.pk}"}
    if payment.status != Payment.Status.OPEN or accepts_gateways(payment):
        # A closed order takes the money too: `apply_received_money` turns it into balance instead of losing it.
        apply_received_money(payment, **booking)
        return
    # Paid after the quote expired: only bank orders are still open, and those with a reported transfer stay open.
    if payment.bank_state != Payment.Bank.SUBMITTED:
        close_order(payment)
    keep_as_credit(payment, **booking)


def apply_received_money(payment: Payment, *, account: str, by: str, tx: str) -> None:
    """Pay a locked order with money that has come, or credit it to the balance if the order is closed or void."""
    if payment.status == Payment.Status.OPEN:
        # The savepoint undoes a purchase that stopped halfway, while the money itself is still booked below.
        try:
            with transaction.atomic():
                apply_payment(payment, account=account, by=by, tx=tx)
        except ApiError as refusal:
            log.warning("order %s is paid and cannot take effect: %s", payment.pk, refusal)
            # The savepoint has undone the rows, but the instance still carries the values that it was given.
            payment.refresh_from_db()
            close_order(payment)
        else:
            return
    keep_as_credit(payment, account=account, by=by, tx=tx)


def apply_payment(payment: Payment, *, account: str, by: str, tx: str) -> None:
    """Mark a locked, open order as paid: its purchase takes effect, and its invoice is issued and paid.

    `account` is the ledger account of the money; an order whose amount is 0 moves none. Raises ApiError if its purchase
    cannot take effect (any more).
    """
    invoice = Invoice.objects.get(pk=payment.invoice_id)
    # Redeemed before anything is opened: where the last redemption is gone, the order must not take effect.
    redeem(payment.pk)
    period = _apply_purchase(payment, invoice)
    if invoice.number is None:  # a renewal's is issued when it is billed
        start, end = period  # the quote's was reckoned from when it was ordered
        invoice.period_start = start
        invoice.period_end = end
        issue(invoice)
    # Money and balance are two transactions of the books, each unique by its key. A second attempt to book
    # either fails on the constraint instead of counting it twice.
    money, credit = payment.amount_minor, payment.credit_minor
    post_transaction(tx, payment.currency, [(account, money), (RECEIVABLE, -money)], about=invoice.pk)
    post_transaction(
        f"bal:{payment.pk}", payment.currency, [(BALANCE, credit), (RECEIVABLE, -credit)], about=invoice.pk
    )
    mark_paid(invoice)
    payment.status = Payment.Status.PAID
    payment.paid_at = timezone.now()
    # Staff no longer need to search for a transfer of an order that was paid otherwise.
    if payment.bank_state and account != BANK:
        payment.bank_state = Payment.Bank.EXPIRED
    payment.save()
    rows = [(Kind.PAYMENT, money, by), (Kind.PAYMENT, credit, "balance")]
    for kind, amount, way in rows:
        if amount:
            _record_transaction(payment, kind, amount, way)
    payment.invoice = invoice
    if money:
        tell_received(payment, by=by)
    emit("payment.paid", [payment.pk], payloads={payment.pk: {"invoice": invoice.number, "by": by}})


def _apply_purchase(payment: Payment, invoice: Invoice) -> tuple[datetime | None, datetime | None]:
    """Apply a paid order to the subscription. Return the period that it has opened, or adds to.

    Raises ApiError if it cannot take effect.
    """
    if invoice.kind in (Invoice.Kind.SEATS, Invoice.Kind.ADD_ONS):
        return _add(payment, invoice)
    plan = payment.plan
    if plan is None:
        raise NamedError("PlanNotFound_400", "the plan that was ordered is gone")
    source = f"invoice:{invoice.pk}"
    # Revenue and the reward of a referrer are reckoned without tax, which is the state's.
    net = invoice.total_minor - invoice.tax_minor
    open_period(
        company_id=payment.company_id,
        amount=to_amount(max(0, net), payment.currency),
        currency=payment.currency,
        source=source,
        terms=Terms(
            plan=plan,
            interval=payment.interval,
            seats=payment.seats,
            from_now=payment.from_now,
            period=_renewed_period(payment, invoice),
        ),
    )
    subscription = _set_add_ons(payment)
    # The order stores the period that it has opened. The invoice's dates were a quote's, and refunds and
    # upgrades have to know which seconds were actually paid for.
    payment.basis |= {"periodStart": _text(subscription.period_start), "periodEnd": _text(subscription.period_end)}
    return subscription.period_start, subscription.period_end


def _add(payment: Payment, invoice: Invoice) -> tuple[datetime | None, datetime | None]:
    """Add a paid order's seats or add-ons to the current period. Raises BadRequest_400 if that has ended."""
    now = timezone.now()
    note = f"order {payment.number}"
    # Seats and add-ons were priced for the rest of one period. They are not carried over to the next one.
    if invoice.period_end is not None and invoice.period_end <= now:
        raise NamedError("BadRequest_400", "the period that it was ordered for has ended")
    if invoice.kind == Invoice.Kind.SEATS:
        subscription = change_subscription(company_id=payment.company_id, seats=payment.seats, note=note)
    else:
        subscription = Subscription.objects.get(pk=payment.subscription_id)
        if subscription.status not in OPEN:
            raise NamedError("BadRequest_400", f"the subscription is {subscription.status}")
        subscription = _set_add_ons(payment)
    return now, subscription.period_end


def _renewed_period(payment: Payment, invoice: Invoice) -> tuple[datetime, datetime] | None:
    """Return the period that a renewal's invoice names; None for other orders."""
    if payment.renews is None or invoice.period_start is None or invoice.period_end is None:
        return None
    return invoice.period_start, invoice.period_end


def _set_add_ons(payment: Payment) -> Subscription:
    """Copy the add-ons of the paid order to the locked subscription."""
    subscription: Subscription = Subscription.objects.select_related("plan", "version").get(pk=payment.subscription_id)
    if "addOns" in payment.basis:
        set_subscription_items(subscription, payment.basis["addOns"], note=f"order {payment.number}")
    return subscription


def set_subscription_items(subscription: Subscription, order_items: Sequence[Values], *, note: str) -> None:
    """Set a locked subscription's add-ons to these and no others, in the caller's transaction."""
    extras = set_items(subscription, order_items)
    if extras != subscription.extras:
        apply_change(subscription, Action.CHANGED, note=note, extras=extras)


def _text(moment: Any) -> str:
    return moment.isoformat() if moment else ""


def keep_as_credit(payment: Payment, *, account: str, by: str, tx: str) -> None:
    """Credit money that cannot pay its order to the company's balance."""
    post_transaction(tx, payment.currency, [(account, payment.amount_minor), (BALANCE, -payment.amount_minor)])
    _record_transaction(payment, Kind.CREDIT, payment.amount_minor, by)
    tell_received(payment, by=by, credited=True)
    emit("payment.credited", [payment.pk], payloads={payment.pk: {"by": by}})


def _record_transaction(payment: Payment, kind: str, amount: int, by: str) -> None:
    Transaction.objects.create(
        kind=kind, amount_minor=amount, currency=payment.currency, by=by, payment=payment, invoice_id=payment.invoice_id
    )


def close_order(payment: Payment, *, bank_state: str = "") -> None:
    """Cancel a locked, open order. Its attempts are still polled: money that comes later becomes balance.

    The invoice of a renewal, which is issued already, is credited by a credit note.
    """
    payment.status = Payment.Status.CANCELLED
    if payment.bank_state in (Payment.Bank.AWAITING, Payment.Bank.SUBMITTED):
        payment.bank_state = bank_state or Payment.Bank.EXPIRED
    payment.save()
    Invoice.objects.filter(pk=payment.invoice_id, number__isnull=True).update(status=Invoice.Status.VOID)
    issued = Invoice.objects.filter(pk=payment.invoice_id, status=Invoice.Status.ISSUED).first()
    if issued is not None:
        take_back(issued, "the period was not bought")
    release([payment.invoice_id])
    # Left, not ended: a customer may still be on the gateway's page, and that money has to be noticed.
    payment.attempts.filter(left_at__isnull=True).update(left_at=timezone.now())
    release_coupon(payment.pk)


def save_method(letter: str, adapter: str, saved: SavedMethod) -> PaymentMethod:
    """Save a method of the active company, once for each token. It becomes the default if there is no default."""
    # The token is encrypted with a fresh nonce, so that equal tokens differ. The keyed hash finds it again.
    token_hash = lookup_hash(f"{adapter}:{saved.token}")
    display_values: JsonObject = {"label": saved.label[:60], "brand": saved.brand[:30], "last4": saved.last4[-4:]}
    display_values["expires_on"] = saved.expires
    row: PaymentMethod = PaymentMethod.objects.filter(token_hash=token_hash).first() or PaymentMethod(
        letter=letter, adapter=adapter, token_hash=token_hash, token=saved.token, customer=saved.customer[:255]
    )
    becomes_default = not PaymentMethod.objects.filter(is_default=True).exists()
    if becomes_default:
        display_values["is_default"] = True
    for name, value in display_values.items():  # cards are prolonged
        setattr(row, name, value)
    # A concurrent request may have set another default. Only what the gateway says is written.
    row.save(update_fields=None if row._state.adding else [*display_values, "updated_at"])
    if becomes_default:
        payment_method_changed.send()
    return row


def usable_balance(currency: str) -> int:
    """Return the amount that the active company's balance can cover. An open order has not used the balance yet."""
    # A balance below zero is a debt. It covers nothing, but must not raise the price of an order either.
    return max(0, balance_of(currency))
