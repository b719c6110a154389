"""Endpoints of orders, and of paying them by bank (contract 4.10: /manual-payment)."""

from __future__ import annotations

from django.db import transaction
from rest_framework.decorators import action
from rest_framework.request import Request

from billing.checkout import filters
from billing.checkout.order_serializers import (
    PaymentOut,
    PaymentWays,
    TransferFields,
    TransferInput,
)
from billing.checkout.quotes import NOW
from billing.checkout.services import get_own_primary, subscribe
from billing.gateways.accounts import accounts_for
from billing.gateways.registry import adapter_class
from billing.invoices.services import get_seller
from billing.payments.attempts import choose_again
from billing.payments.models import Attempt, Payment
from billing.payments.orders import change_transfer, pay_by_bank
from billing.payments.settlement import accepts_gateways
from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from core.types import JsonObject

OPEN_ATTEMPTS = ("due", "working", "wrong", "unknown")
EXAMINED = "a payment is being examined; we will write to you"
QUOTE_ERRORS = (
    "SubscriptionNotFound_400",
    "PlanNotFound_400",
    "PlanMinUsers_400",
    "PlanMaxUsers_400",
    "FreePlanAlreadyUsed_400",
    "CouponInvalid_400",
    "BadRequest_400",
)


def ways_of(payment_id: str) -> JsonObject | None:
    """Return an order with the ways to pay it, or None."""
    payment = Payment.objects.filter(pk=payment_id).first()
    order = PaymentOut.one(Payment.objects.filter(pk=payment_id))
    if payment is None or order is None:
        return None
    attempts = list(Attempt.objects.filter(payment_id=payment_id, left_at__isnull=True).order_by("-created_at", "-pk"))
    current = next((candidate for candidate in attempts if candidate.status in OPEN_ATTEMPTS), None)
    last = attempts[0] if attempts else None
    examined = current is not None and current.status in (Attempt.Status.WRONG, Attempt.Status.UNKNOWN)
    instructions = get_seller().bank_instructions
    is_open = payment.status == Payment.Status.OPEN
    failed = last.reason if last is not None and last.status == Attempt.Status.FAILED else ""
    return {
        **order,
        "gateways": [
            {"gateway": f"gateway-{candidate.letter}", "title": adapter_class(candidate.adapter).title}
            for candidate in (accounts_for(payment.currency) if is_open and accepts_gateways(payment) else ())
        ],
        "bank": {"instructions": instructions, "reference": payment.number} if instructions and is_open else None,
        "begun": f"gateway-{current.letter}" if current else None,
        "redirectUrl": (current.url or None) if current and not examined else None,
        "problem": EXAMINED if examined else failed,
    }


class ManualPaymentViewSet(ResourceViewSet):
    module = "plan"
    listing = Listing(
        "List orders",
        Payment.objects.all,
        filters.PAYMENT_FIELDS,
        PaymentOut,
        needs_subscription=False,
        description="Each can be paid by any gateway or by bank; `state` is that of its bank transfer. Open without a"
        " subscription.",
    )

    @endpoint(
        "Read an order and the ways to pay it",
        output=PaymentWays,
        errors=("ManualPaymentDetailsNotFound_400",),
        needs_subscription=False,
    )
    def retrieve(self, request: Request, id: str) -> object:
        order = ways_of(id)
        if order is None:
            raise NamedError("ManualPaymentDetailsNotFound_400", "there is no such order", field="id")
        return order

    @endpoint(
        "Pay by bank transfer",
        input=TransferInput,
        output=PaymentWays,
        success="TransferSubmitted_201",
        errors=("ManualPaymentDetailsNotFound_400", "FileNotFound_400", *QUOTE_ERRORS),
        needs_subscription=False,
        limited=True,
        description="For an open order (paymentID), or for a plan that is ordered with it. Once there is a proof or a"
        " reference, staff look whether the money has come.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        if "subscription_id" in data:
            get_own_primary(data.pop("subscription_id"), field="subscriptionID")
        names = ("proof", "reference", "transferred_on", "note")
        transfer = {name: data.pop(name) for name in names if name in data}
        id = data.pop("payment_id", None)
        if id is None and "plan_id" not in data:
            raise NamedError(
                "ManualPaymentDetailsNotFound_400", "the order to pay, or planID to order", field="paymentID"
            )
        if id is not None and data:
            raise NamedError("BadRequest_400", "an order says what is bought; leave the rest out", field="paymentID")
        with transaction.atomic():  # a transfer that is refused leaves the open order as it was
            if id is None:
                payment = subscribe(values={**data, "when": NOW}, member_id=self.actor.member_id)[1]
                id = payment.pk if payment else ""
            pay_by_bank(payment_id=id, values=transfer)
        return ways_of(id)

    @action(detail=True, methods=["post"], url_path="choose-again")
    @endpoint(
        "Leave a gateway's page for another way to pay",
        output=PaymentWays,
        success="PaymentReopened_200",
        errors=("ManualPaymentDetailsNotFound_400", "BadRequest_400"),
        needs_subscription=False,
        description="Also takes back a bank transfer that was submitted (`state`: awaiting). The order stays as it is."
        " Money that comes by the page that was left, or by bank, pays it, or is balance once it is paid or left.",
    )
    def choose_again(self, request: Request, id: str) -> object:
        choose_again(id)
        return ways_of(id)

    @endpoint(
        "Change what is said of a bank transfer",
        input=TransferFields,
        output=PaymentWays,
        success="TransferUpdated_200",
        errors=("ManualPaymentDetailsNotFound_400", "FileNotFound_400", "BadRequest_400"),
        needs_subscription=False,
        description="Until staff have decided. After that POST /manual-payment announces another transfer.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        change_transfer(payment_id=id, values=data)
        return ways_of(id)
