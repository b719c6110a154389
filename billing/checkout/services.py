"""Use cases of buying: preview, order, seats, coupons, and changes of the subscription by its company."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from billing.charges.services import bill_pending, mark_billed, owed_by
from billing.checkout.additions import quote_seats
from billing.checkout.quote import Quote
from billing.checkout.quotes import AUTO, NOW, quote_plan
from billing.checkout.unused import unused_amount
from billing.coupons.holds import hold, lock_coupons
from billing.dunning.services import wake
from billing.invoices.services import create_draft
from billing.ledger.money import sum_text
from billing.payments.attempts import read_proof
from billing.payments.models import Payment, PaymentMethod
from billing.payments.orders import ORDER_LIFE, cancel_for, new_order_number, settle_free
from billing.subscriptions.changes import Action, Status, access_end, apply_change, lock_primary, require_subscription
from billing.subscriptions.models import OPEN, Subscription
from billing.subscriptions.pauses import pause_subscription, resume_subscription
from billing.subscriptions.selectors import primary_subscription
from billing.subscriptions.services import cancel_subscription, cap_overage
from billing.taxes.services import billing_details, change_billing_details
from core.access.attempts import Limit
from core.errors import NamedError, ValidationFailed
from core.tenancy import company_id
from core.types import JsonObject, Values

BY_MEMBER = "by the company"
COUPON_TRIES = Limit("coupons", 20, 3600)


def preview(values: Values) -> Quote:
    """Return the quote of an order. Writes nothing."""
    count_coupon(values)
    subscription = require_subscription(primary_subscription())
    return quote_plan(subscription, pending_charges=list(owed_by(subscription.pk)), **values)


def subscribe(*, values: Values, member_id: str | None) -> tuple[Quote, Payment | None]:
    """Order a period of a plan, in place of the open order. What costs nothing takes effect at once.

    What waits for the end of the paid period is kept as `scheduled`, and makes no order. `proof` is the token of the
    quote that was seen: at another price it raises BadRequest_400, and nothing is ordered.
    """
    values = dict(values)
    proof, at = seen_quote(values)
    count_coupon(values)
    with lock_primary(company_id()) as primary:
        subscription = require_subscription(primary)
        # All coupons of this change are locked at once and in one order: the one
        # that is given up, and the new one.
        lock_coupons(values.get("coupon_code", ""))
        cancel_for("planID")  # first, since the coupon that it holds may be the last one
        charges = bill_pending([subscription.pk]).get(subscription.pk, [])
        quote = quote_plan(subscription, pending_charges=charges, at=at, **values)
        check_seen(quote, proof)
        # What waits costs nothing now. Its price is reckoned when the period is
        # billed, and may be another one by then.
        if quote.scheduled:
            schedule(subscription, quote, keeps_seats="seats" not in values, keeps_add_ons="add_ons" not in values)
            return quote, None
        return _create_order(subscription, quote, member_id)


def schedule(subscription: Subscription, quote: Quote, *, keeps_seats: bool, keeps_add_ons: bool) -> None:
    """Schedule the terms of a locked subscription for the end of its paid period; the present plan cancels the
    schedule.

    The subscription continues, so that a cancellation is reverted too. Without chosen add-ons it keeps those that it
    has then.
    """
    # Choosing the plan that runs is how a company withdraws an earlier change, so it leaves no schedule.
    same = (quote.plan.pk, quote.interval) == (subscription.plan_id, subscription.interval)
    terms: JsonObject = {} if same else {"plan": quote.plan.pk, "interval": quote.interval, "seats": quote.seats}
    if same and not keeps_seats and quote.seats != subscription.seats:
        terms = {"seats": quote.seats}
    if not keeps_add_ons:
        terms["addOns"] = {item.add_on.pk: item.quantity for item in quote.add_ons}
    values: JsonObject = {"scheduled": terms or None}
    # A company that chooses terms for the next period wants one, so the cancellation no longer holds.
    if subscription.cancel_at_period_end:
        values |= {"cancel_at_period_end": False, "ends_at": access_end(subscription.period_end)}
    apply_change(subscription, Action.CHANGED, note=BY_MEMBER, **values)


def seen_quote(values: JsonObject) -> tuple[str, datetime | None]:
    """Remove the token of the quote that was seen from an order's values. Return its digest and its time."""
    proof = values.pop("proof", "")
    if not proof:
        return "", None
    digest, at = read_proof(proof)
    return digest or proof, at


def check_seen(quote: Quote, digest: str) -> None:
    """Raise BadRequest_400 if a quote is not the one that was seen."""
    # A price may change between preview and order: by staff, by a coupon's end, by used seats. Nobody
    # is to owe an amount that they have not seen.
    if digest and quote.digest != digest:
        raise NamedError("BadRequest_400", "the price is another one by now; look at a new preview", field="proof")


def preview_seats(*, seats: int) -> Quote:
    """Return the quote of this number of seats for the rest of the period. Writes nothing."""
    return quote_seats(require_subscription(primary_subscription()), seats)


def order_seats(*, seats: int, member_id: str | None, proof: str = "") -> tuple[Quote | None, Payment | None]:
    """Order more seats for the rest of the period. Fewer hold from the next period on, which is bought with them.

    `proof` is as for `subscribe`.
    """
    digest, at = seen_quote({"proof": proof})
    with lock_primary(company_id()) as primary:
        subscription = require_subscription(primary)
        quote = quote_seats(subscription, seats, at=at)
        # Fewer seats pay nothing back. The seats are paid until the period ends, and stay until then.
        current_seats = subscription.seats or (subscription.plan.min_seats if subscription.plan else 1)
        if seats <= current_seats:
            scheduled = {name: value for name, value in (subscription.scheduled or {}).items() if name != "seats"}
            if seats < current_seats or scheduled:
                scheduled["seats"] = seats
            apply_change(subscription, Action.CHANGED, note=BY_MEMBER, scheduled=scheduled or None)
            return None, None
        check_seen(quote, digest)
        cancel_for("seats")
        return _create_order(subscription, quote, member_id)


def _create_order(subscription: Subscription, quote: Quote, member_id: str | None) -> tuple[Quote, Payment]:
    invoice = create_draft(
        subscription=subscription,
        kind=quote.kind,
        currency=quote.currency,
        lines=quote.lines,
        details=billing_details(),
        period=quote.period,
        tax=quote.tax_of,
    )
    payment: Payment = Payment.objects.create(
        number=new_order_number(),
        subscription=subscription,
        invoice=invoice,
        amount_minor=quote.due,
        credit_minor=quote.credit,
        currency=quote.currency,
        plan=quote.plan,
        interval=quote.interval,
        seats=quote.seats,
        from_now=quote.from_now,
        basis={**quote.basis, "digest": quote.digest},
        expires_at=timezone.now() + ORDER_LIFE,
        created_by_id=member_id,
    )
    # In the same transaction as the invoice, so that no renewal bills these charges once more.
    mark_billed({charge: str(invoice.pk) for charge in quote.charges})
    if quote.coupon:
        hold(quote.coupon, payment.pk)
    # No gateway takes an amount of zero.
    if quote.due == 0:
        settle_free(payment)
    return quote, payment


def count_coupon(values: Values) -> None:
    """Limit how often a company tries codes."""
    if values.get("coupon_code"):
        # Codes are short enough to be guessed by a program.
        COUPON_TRIES.count(company_id())


def apply_coupon(*, code: str, values: Values, apply: bool, member_id: str | None) -> tuple[Quote, bool]:
    """Return the quote with a coupon. With `apply` the open order, if any, is replaced by one with the coupon.

    Without a plan the coupon is checked for the open order, or for the plan of the subscription.
    """
    subscription = require_subscription(primary_subscription())
    payment = Payment.objects.filter(status=Payment.Status.OPEN).first()
    cycle_order = payment if payment is not None and payment.invoice.kind == "cycle" else None
    plan_id = values.get("plan_id") or (cycle_order.plan_id if cycle_order else subscription.plan_id)
    if not plan_id:
        raise NamedError("PlanNotFound_400", "choose a plan first", field="planID")
    terms: JsonObject = {}
    if cycle_order is not None and cycle_order.plan_id == plan_id:
        terms = {"interval": cycle_order.interval, "seats": cycle_order.seats, "currency": cycle_order.currency}
        terms["add_ons"] = {item["addOn"]: item["quantity"] for item in cycle_order.basis.get("addOns", [])}
    # The open order keeps its beginning: `auto` might schedule the same purchase,
    # and a coupon is for what is paid now.
    when = NOW if cycle_order is not None else AUTO
    choices = {**terms, **values, "plan_id": plan_id, "coupon_code": code, "when": when}
    if not (apply and cycle_order is not None):
        return preview(choices), False
    # A customer may be paying the old price at this time. The order must not be replaced under their hands.
    pages = cycle_order.attempts.filter(left_at__isnull=True, status__in=("due", "working", "wrong", "unknown"))
    if cycle_order.bank_state == Payment.Bank.SUBMITTED or pages.exists():
        raise NamedError(
            "BadRequest_400", "the order is being paid; wait, or take its payment back first", field="coupon"
        )
    return subscribe(values=choices, member_id=member_id)[0], True


# Changes of the subscription by its company


@transaction.atomic
def change_by_company(*, id: str, values: JsonObject) -> None:
    """Change billing details, the method that is charged, whether it ends with its period, the caps on overage, and
    whether it is paused.

    Raises SubscriptionNotFound_400, InvalidInput_400, CountryNotFound_400, PaymentNotFound_400 and BadRequest_400.
    """
    subscription = get_own_primary(id)
    if "billing_details" in values:
        change_billing_details(values["billing_details"])
    if "payment_method_id" in values:
        choose_method(values["payment_method_id"])
    ends = values.get("cancel_at_period_end")
    if ends is True and not subscription.cancel_at_period_end:
        cancel(id=id, when="periodEnd", forfeit=False)
    elif ends is False and (subscription.cancel_at_period_end or subscription.status not in OPEN):
        undo_cancel()
    if "overage" in values:
        caps = {cap["meter"]: cap["most"] for cap in values["overage"]}
        # A list may name a meter twice, and the last one would win without a word.
        if len(caps) < len(values["overage"]):
            raise ValidationFailed("a meter twice", "enter each meter once", field="overage")
        cap_overage(company_id=company_id(), caps=caps, note=BY_MEMBER)
    if "paused" in values:
        pause_or_resume(values["paused"])


def pause_or_resume(paused: Values | None) -> None:
    """Pause the active company's subscription until a time, or resume it. Raises BadRequest_400."""
    if paused is None:
        resume_subscription(company_id=company_id(), note=BY_MEMBER)
        return
    with lock_primary(company_id()):
        # The open order was reckoned for a period that runs on, and the pause moves its end.
        cancel_for("paused")
        pause_subscription(company_id=company_id(), until=paused["until"], note=BY_MEMBER)


def get_own_primary(id: str, *, field: str = "id") -> Subscription:
    """Return the active company's primary subscription by its id. Raises SubscriptionNotFound_400.

    `field` is the name of the id in the request.
    """
    subscription = primary_subscription()
    if subscription is None or subscription.pk != id:
        raise NamedError("SubscriptionNotFound_400", "there is no such subscription in force", field=field)
    return subscription


def forfeited_amount(subscription: Subscription) -> int:
    """Return the unused part of the company's payments, in minor units before tax, which cancelling now forfeits."""
    if subscription.status not in OPEN or not subscription.currency:
        return 0
    # A pause stops the clock, so the unused part is counted from its beginning.
    if subscription.status == Status.PAUSED and subscription.paused_at is not None:
        return unused_amount(subscription, subscription.currency, subscription.paused_at)
    return unused_amount(subscription, subscription.currency, timezone.now())


def cancel(*, id: str, when: str, forfeit: bool) -> None:
    """Cancel the subscription now or at the end of the paid period.

    Cancelling now forfeits the unused part, to which the caller must agree (`forfeit`). Raises
    SubscriptionNotFound_400, BadRequest_400.
    """
    get_own_primary(id)
    with lock_primary(company_id()) as subscription:
        forfeit_sum = (
            forfeited_amount(subscription) if subscription is not None and when == "now" and not forfeit else 0
        )
        if subscription is not None and forfeit_sum:
            text = (
                f"cancelling now gives up {sum_text(forfeit_sum, subscription.currency)} of what is paid; true agrees"
            )
            raise NamedError("BadRequest_400", f"{text}, or cancel at the period's end", field="forfeit")
        cancel_subscription(company_id=company_id(), at_period_end=when != "now", note=BY_MEMBER)
        # An open order that is paid later would open a period of a cancelled subscription.
        if when == "now":
            cancel_for("when")


def undo_cancel() -> None:
    """Continue a subscription that was to end with its period. Raises BadRequest_400 for any other."""
    with lock_primary(company_id()) as primary:
        subscription = require_subscription(primary)
        if not subscription.cancel_at_period_end or subscription.status not in (Status.ACTIVE, Status.TRIAL):
            raise NamedError("BadRequest_400", "it has ended; order a plan again", field="cancelAtPeriodEnd")
        ends = access_end(subscription.period_end) if subscription.status == Status.ACTIVE else subscription.ends_at
        apply_change(subscription, Action.CHANGED, note=BY_MEMBER, ends_at=ends, cancel_at_period_end=False)


def choose_method(id: str) -> None:
    """Make a saved method the one that is charged. Raises PaymentNotFound_400."""
    # All methods of the company are locked: two requests that choose different ones would leave two defaults,
    # which the constraint refuses with an error instead of an answer.
    rows = PaymentMethod.objects.select_for_update()
    if id not in {row.pk for row in rows}:
        raise NamedError("PaymentNotFound_400", "there is no such saved method", field="paymentMethodID")
    # The old default goes first. A unique index is checked row by row, so both at once is never allowed.
    PaymentMethod.objects.filter(is_default=True).exclude(pk=id).update(is_default=False, updated_at=timezone.now())
    PaymentMethod.objects.filter(pk=id).update(is_default=True, updated_at=timezone.now())
    wake()


@transaction.atomic
def delete_method(id: str) -> None:
    """Forget a saved method. The newest other one that has not expired takes its place. Raises PaymentNotFound_400."""
    rows = {row.pk: row for row in PaymentMethod.objects.select_for_update().order_by("-created_at", "-pk")}
    method = rows.pop(id, None)
    if method is None:
        raise NamedError("PaymentNotFound_400", "there is no such saved method", field="id")
    was_default = method.is_default
    method.delete()
    today = timezone.now().date()
    # An expired card as the default would turn the next renewal into a refusal.
    good = (row.pk for row in rows.values() if row.expires_on is None or row.expires_on >= today)
    heir = next(good, None) if was_default else None
    if heir is not None:
        PaymentMethod.objects.filter(pk=heir).update(is_default=True, updated_at=timezone.now())
        wake()
