"""The endpoint of a company's usage (contract 4.10: below /subscription)."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from billing.usage.selectors import read_usage
from billing.usage.serializers import MetersUsedOut
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet

PARAMETERS = (
    OpenApiParameter("from", str, description="first day, such as 2026-01-31; the month's first without both"),
    OpenApiParameter("to", str, description="last day, which counts too; today unless given"),
)


class UsageViewSet(ResourceViewSet):
    module = "plan"
    singleton = True

    @endpoint(
        "Read what is used of the subscription's meters",
        output=MetersUsedOut,
        parameters=PARAMETERS,
        errors=("InvalidRequest_400",),
        needs_subscription=False,
        description="Meters are limits of plans that begin anew each month, such as messages and ai_credits. What is"
        " beyond the included goes on at its price, and is billed with the next period; without a price messages wait"
        " and AI calls are refused. Days are those of the company's time zone, at most 366; the figures beside them are"
        " of the month that runs. Open without a subscription.",
    )
    def retrieve(self, request: Request) -> object:
        return read_usage(request.query_params.get("from", ""), request.query_params.get("to", ""))
