"""POST /subscription/payment-methods/setup: save a way to pay without paying."""

from __future__ import annotations

from rest_framework.request import Request

from billing.gateways.accounts import active_accounts
from billing.gateways.models import LETTERS
from billing.gateways.registry import adapter_class
from billing.methods.serializers import MethodSetupInput, MethodSetupOut, SetupWaysOut
from billing.methods.services import set_up_method
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject


class MethodSetupViewSet(ResourceViewSet):
    module = "plan"
    singleton = True

    @endpoint(
        "List the gateways that save a way to pay without a payment",
        description="POST to this address takes the name of one of them.",
        output=SetupWaysOut,
        needs_subscription=False,
    )
    def retrieve(self, request: Request) -> object:
        adapters = [(entry.letter, adapter_class(entry.adapter)) for entry in active_accounts()]
        return {
            "gateways": [{"gateway": f"gateway-{at}", "title": entry.title} for at, entry in adapters if entry.sets_up]
        }

    @endpoint(
        "Save a way to pay without paying",
        input=MethodSetupInput,
        output=MethodSetupOut,
        success="MethodSetupBegun_201",
        errors=(*(f"Gateway{letter.upper()}DetailsNotFound_400" for letter in LETTERS), "BadRequest_400"),
        needs_subscription=False,
        description="Send the person to redirectUrl, the gateway's page; from there the service saves the method. Who"
        " asks again while it is open gets the same page. Some gateways save a method only with a payment: 400.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        setup = set_up_method(letter=data["gateway"][-1])
        return {"_id": setup.pk, "gateway": data["gateway"], "redirectUrl": setup.url}
