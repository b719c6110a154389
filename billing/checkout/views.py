"""Endpoints of buying (contract 4.10): subscription, invoices, transactions, bank transfers, coupons, saved methods.

All of them are open without a subscription, so that a lapsed company can pay.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Sum
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from billing.checkout import filters
from billing.checkout.order_serializers import (
    CouponCheckOut,
    CouponInput,
    OrderedOut,
    OrderInput,
    OrderPreviewInput,
    PaymentOut,
    QuoteOut,
    SeatsInput,
    SeatsPreviewInput,
    quote_data,
)
from billing.checkout.order_views import QUOTE_ERRORS, ways_of
from billing.checkout.selectors import visible_coupons
from billing.checkout.serializers import (
    CancelInput,
    CouponOut,
    DetailsInput,
    DetailsOut,
    MethodOut,
    SubscriptionChangeInput,
    SubscriptionFull,
    SubscriptionRow,
    TransactionOut,
)
from billing.checkout.services import (
    apply_coupon,
    cancel,
    change_by_company,
    delete_method,
    forfeited_amount,
    get_own_primary,
    order_seats,
    preview,
    preview_seats,
    subscribe,
)
from billing.dunning.services import retry_now
from billing.entitlements.views import subscription_data
from billing.ledger.models import Posting
from billing.ledger.money import money
from billing.ledger.services import BALANCE
from billing.payments.models import Payment, PaymentMethod, Transaction
from billing.subscriptions.models import Subscription
from billing.subscriptions.selectors import primary_subscription
from billing.taxes.services import billing_details, change_billing_details
from core.api.endpoint import endpoint
from core.api.envelope import respond
from core.api.listing import Listing
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError, renamed_fields
from core.types import JsonObject

UPDATED = "SubscriptionUpdated_200"


def billing_details_data() -> JsonObject:
    """Return the billing details under their output names."""
    details = billing_details()
    return {
        "name": details.name,
        "address": details.address,
        "country": details.country,
        "vatId": details.vat_id,
        "email": details.email,
        "updatedAt": details.updated_at,
    }


def full_subscription(subscription: Subscription | None = None) -> JsonObject:
    """Return the primary subscription with its open order, payment method, caps, balance and billing details.

    It is read from the database unless it is given.
    """
    subscription = subscription or primary_subscription()
    order = Payment.objects.filter(status=Payment.Status.OPEN).values_list("pk", flat=True).first()
    balances = Posting.objects.filter(account=BALANCE).order_by("currency").values_list("currency")
    return {
        **subscription_data(subscription),
        "order": ways_of(order) if order else None,
        "paymentMethod": MethodOut.one(PaymentMethod.objects.filter(is_default=True)),
        "overage": [{"meter": name, "most": most} for name, most in sorted(subscription.overage.items())]
        if subscription
        else [],
        "unused": money(forfeit_sum, subscription.currency)
        if subscription and (forfeit_sum := forfeited_amount(subscription))
        else None,
        "balance": [money(-amount, code) for code, amount in balances.annotate(sum=Sum("amount_minor")) if amount],
        "billingDetails": billing_details_data(),
    }


class SubscriptionViewSet(ResourceViewSet):
    module = "plan"
    listing = Listing(
        "List the company's subscriptions",
        Subscription.objects.all,
        filters.SUBSCRIPTION_FIELDS,
        SubscriptionRow,
        needs_subscription=False,
        description="isPrimary says which is in force. Open without a subscription.",
    )

    @endpoint(
        "Subscribe to a plan",
        input=OrderInput,
        output=OrderedOut,
        success="OrderCreated_201",
        other_successes=(UPDATED,),
        errors=QUOTE_ERRORS,
        needs_subscription=False,
        limited=True,
        description="Makes an order, in place of an open one: pay it by POST /gateway-x with payment._id as"
        " manualPaymentID, or by POST /manual-payment. What costs nothing is active at once. An upgrade begins when it"
        " is paid, and what is unused of the paid period is taken off; a downgrade, and whatever is sent with when:"
        " periodEnd, makes no order (200) and takes effect when the paid period ends. The plan that runs, with when:"
        " periodEnd, takes such a change back.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        quote, payment = subscribe(values=data, member_id=self.actor.member_id)
        return self._order_response(quote_data(quote), payment.pk if payment else None)

    def _order_response(self, quote: Any, payment_id: str | None, *, seats: bool = False) -> Response:
        """Return the response with the order, or with the schedule of the next period."""
        payment = PaymentOut.one(Payment.objects.filter(pk=payment_id)) if payment_id else None
        seats_payment = payment if seats else None
        data = {"subscription": subscription_data(), "quote": quote, "payment": payment, "seatsPayment": seats_payment}
        return respond("OrderCreated_201" if payment else UPDATED, data)

    @action(detail=False, methods=["post"])
    @endpoint(
        "Preview an order",
        input=OrderPreviewInput,
        output=QuoteOut,
        success="QuoteMade_200",
        errors=QUOTE_ERRORS,
        needs_subscription=False,
        limited=True,
        description="What POST /subscription would cost now. Writes nothing.",
    )
    def preview(self, request: Request, data: JsonObject) -> object:
        return quote_data(preview(data))

    @action(detail=False, methods=["post"])
    @endpoint(
        "Change the number of seats",
        input=SeatsInput,
        output=OrderedOut,
        success="OrderCreated_201",
        other_successes=(UPDATED,),
        errors=(
            "SubscriptionNotFound_400",
            "PlanMinUsers_400",
            "PlanMaxUsers_400",
            "BadRequest_400",
        ),
        needs_subscription=False,
        description="More seats make an order for the rest of the period, and are there when it is paid. Fewer are what"
        " the next period is bought with: nothing is to be paid (200).",
    )
    def seats(self, request: Request, data: JsonObject) -> object:
        quote, payment = order_seats(member_id=self.actor.member_id, **data)
        return self._order_response(quote_data(quote) if quote else None, payment.pk if payment else None, seats=True)

    @action(detail=False, methods=["post"], url_path="seats/preview")
    @endpoint(
        "Preview a number of seats",
        input=SeatsPreviewInput,
        output=QuoteOut,
        success="QuoteMade_200",
        errors=("SubscriptionNotFound_400", "PlanMinUsers_400", "PlanMaxUsers_400", "BadRequest_400"),
        needs_subscription=False,
        limited=True,
        description="What POST /subscription/seats would cost now; nothing for fewer (change: downgrade). Writes"
        " nothing.",
    )
    def seats_preview(self, request: Request, data: JsonObject) -> object:
        return quote_data(preview_seats(**data))

    @endpoint(
        "Read the subscription",
        output=SubscriptionFull,
        errors=("SubscriptionNotFound_400",),
        needs_subscription=False,
        description="With the open order and the ways to pay it, the method that is charged, the balance, and whom"
        " invoices are made out to. Open without a subscription.",
    )
    def retrieve(self, request: Request, id: str) -> object:
        return full_subscription(get_own_primary(id))

    @endpoint(
        "Change the subscription",
        input=SubscriptionChangeInput,
        output=SubscriptionFull,
        success="SubscriptionUpdated_200",
        errors=(
            "SubscriptionNotFound_400",
            "InvalidInput_400",
            "CountryNotFound_400",
            "PaymentNotFound_400",
            "BadRequest_400",
        ),
        needs_subscription=False,
        description="cancelAtPeriodEnd false takes a cancellation back while the period runs. paused {until} pauses it,"
        " where the plan allows it: the company looks and changes nothing, and what is left of the paid period is kept;"
        " paused null resumes it. overage caps what a meter may use beyond what is included. Another paymentMethodID is"
        " charged at once with a renewal that is to be paid.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        change_by_company(id=id, values=data)
        return full_subscription()

    @action(detail=True, methods=["post"])
    @endpoint(
        "Charge a renewal now",
        output=SubscriptionFull,
        success="SubscriptionUpdated_200",
        errors=("SubscriptionNotFound_400", "BadRequest_400"),
        needs_subscription=False,
        limited=True,
        description="Charges the renewal that is to be paid to the default method at once, rather than on the next day"
        " of the plan. What becomes of it is seen in the order.",
    )
    def retry(self, request: Request, id: str) -> object:
        get_own_primary(id)
        retry_now(company_id=self.actor.company_id)
        return full_subscription()

    @endpoint(
        "Cancel the subscription",
        input=CancelInput,
        output=SubscriptionFull,
        success="SubscriptionCancelled_200",
        errors=("SubscriptionNotFound_400", "BadRequest_400"),
        needs_subscription=False,
        description="At the end of what is paid, or now. What is unused of it then is given up (`unused` of GET"
        " /subscription/:id): where it is worth anything, `forfeit` has to say so.",
    )
    def destroy(self, request: Request, id: str, data: JsonObject) -> object:
        cancel(id=id, when=data["when"], forfeit=data["forfeit"])
        return full_subscription()


class BillingDetailsViewSet(ResourceViewSet):
    module = "plan"
    singleton = True

    @endpoint(
        "Read whom invoices are made out to",
        description="Name, address, country, VAT number and email address that the next invoice shows.",
        output=DetailsOut,
        needs_subscription=False,
    )
    def retrieve(self, request: Request) -> object:
        return billing_details_data()

    @endpoint(
        "Change whom invoices are made out to",
        input=DetailsInput,
        output=DetailsOut,
        success="SubscriptionUpdated_200",
        errors=("InvalidInput_400", "CountryNotFound_400"),
        needs_subscription=False,
        description="The same as billingDetails of PUT /subscription/:id. Invoices keep them as they were.",
    )
    def update(self, request: Request, data: JsonObject) -> object:
        with renamed_fields({f"billingDetails.{name}": name for name in ("country", "vatId")}):
            change_billing_details(data)
        return billing_details_data()


class TransactionViewSet(ResourceViewSet):
    module = "plan"
    listing = Listing(
        "List transactions",
        Transaction.objects.all,
        filters.TRANSACTION_FIELDS,
        TransactionOut,
        needs_subscription=False,
        description="Payments, refunds, credits and chargebacks. Open without a subscription.",
    )

    @endpoint(
        "Read a transaction",
        output=TransactionOut,
        errors=("transactionHistoryNotFound_400",),
        needs_subscription=False,
    )
    def retrieve(self, request: Request, id: str) -> object:
        entry = TransactionOut.one(Transaction.objects.filter(pk=id))
        if entry is None:
            raise NamedError("transactionHistoryNotFound_400", "there is no such transaction", field="id")
        return entry


class PaymentMethodViewSet(ResourceViewSet):
    module = "plan"
    listing = Listing(
        "List saved payment methods",
        PaymentMethod.objects.all,
        filters.METHOD_FIELDS,
        MethodOut,
        needs_subscription=False,
        description="Saved by payments with saveMethod, or by …/setup. Open without a subscription.",
    )

    @endpoint(
        "Delete a payment method",
        success="PaymentMethodDeleted_200",
        errors=("PaymentNotFound_400",),
        needs_subscription=False,
    )
    def destroy(self, request: Request, id: str) -> None:
        delete_method(id)


class CouponViewSet(ResourceViewSet):
    module = "plan"
    listing = Listing(
        "List coupons",
        visible_coupons,
        filters.COUPON_FIELDS,
        CouponOut,
        needs_subscription=False,
        description="Those that the company has, had, or is offered. Open without a subscription.",
    )

    @endpoint(
        "Use a coupon",
        input=CouponInput,
        output=CouponCheckOut,
        success="CouponChecked_200",
        errors=QUOTE_ERRORS,
        needs_subscription=False,
        limited=True,
        description="Says what it takes off. The open order is made anew with it, unless apply is false.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        code, apply = data.pop("code"), data.pop("apply")
        with renamed_fields({"couponCode": "code"}):
            quote, applied = apply_coupon(code=code, values=data, apply=apply, member_id=self.actor.member_id)
        return {**quote_data(quote), "applied": applied}
