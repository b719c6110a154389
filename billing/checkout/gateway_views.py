"""POST /gateway-a to /gateway-e and their capture: one generated ViewSet for each letter."""

from __future__ import annotations

from typing import Any

from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from billing.checkout.order_serializers import (
    CaptureInput,
    CaptureOut,
    GatewayAInput,
    GatewayInput,
    GatewayOut,
    InvoiceOut,
    PaymentOut,
)
from billing.checkout.services import get_own_primary
from billing.entitlements.views import subscription_data
from billing.gateways.base import AmbiguousOutcome, GatewayRefused, Misconfigured
from billing.gateways.models import LETTERS
from billing.invoices.models import Invoice
from billing.payments.attempts import begin, check_proof, find_attempt, open_order
from billing.payments.models import Attempt, Payment
from billing.payments.processor import refresh_attempt
from core.api.endpoint import endpoint
from core.api.envelope import respond
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError, renamed_fields
from core.messages import message_for
from core.models import ResponseMessage
from core.types import JsonObject

STATES = {str(Attempt.Status.PAID): "paid", str(Attempt.Status.FAILED): "failed"}
BEGUN, LOOKED_AT = "PaymentBegun_200", "PaymentLookedAt_200"


def message_about(attempt: Attempt, name: str) -> JsonObject:
    """Return the message with the payment and state of an attempt."""
    status, text = message_for(name)
    payment = Payment.objects.filter(pk=attempt.payment_id)
    is_paid = payment.filter(status=Payment.Status.PAID).exists()
    return {
        "_id": ResponseMessage.objects.values_list("pk", flat=True).get(name=name),
        "name": name,
        "status": status,
        "message": text,
        "payment": PaymentOut.one(payment),
        "paymentStatus": "paid" if is_paid else STATES.get(attempt.status, "pending"),
        "reason": "" if is_paid else attempt.reason,
        "redirectUrl": attempt.url or None,
        "clientData": None,
    }


class GatewayViewSet(ResourceViewSet, abstract=True):
    module = "plan"
    letter = ""

    def begin_attempt(self, data: JsonObject) -> Response:
        get_own_primary(data["subscription_id"], field="subscriptionID")
        with renamed_fields({"paymentID": "manualPaymentID"}):
            payment = open_order(data["payment_id"])
        if data.get("seats_payment_id", payment.pk) != payment.pk:
            raise NamedError("ManualPaymentDetailsNotFound_400", "it is another order", field="seatsPaymentHistoryID")
        check_proof(data.get("proof", ""), payment)
        attempt = begin(letter=self.letter, payment_id=payment.pk, save_method=data["save_method"])
        return respond(BEGUN, message_about(attempt, BEGUN), **self.other_gateway_warning(attempt))

    def other_gateway_warning(self, attempt: Attempt) -> dict[str, str]:
        """Return the warning that the page which is open is another gateway's."""
        if attempt.letter == self.letter:
            return {}
        text = f"this order is open at gateway-{attempt.letter}, whose page this is; to pay by gateway-{self.letter},"
        return {"warning": f"{text} POST /manual-payment/{attempt.payment_id}/choose-again first"}

    def capture_order(self, data: JsonObject) -> JsonObject:
        ids = {data[name] for name in ("payment_id", "manual_payment_id") if name in data}
        if len(ids) != 1:
            raise NamedError("PaymentNotFound_400", "say which order", field="paymentID")
        if "subscription_id" in data:
            get_own_primary(data["subscription_id"], field="subscriptionID")
        attempt = find_attempt(ids.pop(), self.letter)
        try:
            attempt = refresh_attempt(attempt)
        except Misconfigured as error:
            detail = f"gateway-{self.letter} cannot be asked at the moment"
            raise NamedError(f"Gateway{self.letter.upper()}DetailsNotFound_400", detail) from error
        except (AmbiguousOutcome, GatewayRefused):
            attempt.reason = "the gateway does not answer; it is asked again"
        invoice = InvoiceOut.one(Invoice.objects.filter(pk=attempt.payment.invoice_id))
        return {**message_about(attempt, LOOKED_AT), "subscription": subscription_data(), "invoice": invoice}


def gateway_views(letter: str) -> type[GatewayViewSet]:
    """Make the ViewSet of a letter, whose error names have the letter in them."""
    off = f"Gateway{letter.upper()}DetailsNotFound_400"

    class View(GatewayViewSet):
        @endpoint(
            f"Pay an order by gateway-{letter}",
            input=GatewayAInput if letter == "a" else GatewayInput,
            output=GatewayOut,
            success=BEGUN,
            errors=(
                "ManualPaymentDetailsNotFound_400",
                "SubscriptionNotFound_400",
                off,
                "FileNotFound_400",
                "InvalidRequest_400",
                "CouponInvalid_400",
                "BadRequest_400",
            ),
            needs_subscription=False,
            description="data is a message, and beside its fields the order and redirectUrl, the gateway's page. Who"
            " asks again while it is open gets the same one, from whatever tab and gateway; where it is another"
            " gateway's, warning names that and how it is left.",
        )
        def create(self, request: Request, data: JsonObject) -> Any:
            return self.begin_attempt(data)

        @action(detail=False, methods=["post"])
        @endpoint(
            f"Ask gateway-{letter} what became of an order",
            input=CaptureInput,
            output=CaptureOut,
            success=LOOKED_AT,
            errors=("PaymentNotFound_400", "SubscriptionNotFound_400", off),
            needs_subscription=False,
            description="What the customer has authorized is captured. Nothing of the body is believed but the ids.",
        )
        def capture(self, request: Request, data: JsonObject) -> Any:
            return self.capture_order(data)

    View.letter = letter
    View.__name__ = View.__qualname__ = f"Gateway{letter.upper()}ViewSet"
    return View


GATEWAYS = {letter: gateway_views(letter) for letter in LETTERS}
