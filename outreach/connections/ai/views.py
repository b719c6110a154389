"""Endpoints of the use of AI apps."""

from __future__ import annotations

from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from outreach.connections.ai.filters import USAGE_FIELDS
from outreach.connections.ai.serializers import CapsInput, CapsOut, UsageOut, UsageSummary
from outreach.connections.ai.usage import change_caps, read_caps, settled_calls, used_by_month
from outreach.connections.connected_apps.registry import MODULE


class AiUsageViewSet(ResourceViewSet):
    module = MODULE
    listing = Listing(
        "List AI calls",
        settled_calls,
        USAGE_FIELDS,
        UsageOut,
        description="Each call of a model that was answered, with its tokens and what they cost.",
    )

    @action(detail=False, methods=["get"])
    @endpoint(
        "Sum the AI calls up",
        output=UsageSummary,
        description="What each app has used in each of the last twelve months, the newest first.",
    )
    def summary(self, request: Request) -> object:
        return {"months": used_by_month()}


class AiCapsViewSet(ResourceViewSet):
    module = MODULE
    singleton = True

    @endpoint(
        "Read the caps of AI use",
        description="The most tokens and money that AI apps may use in a month and a run, and the use of this month.",
        output=CapsOut,
    )
    def retrieve(self, request: Request) -> object:
        return read_caps()

    @endpoint(
        "Change the caps of AI use",
        input=CapsInput,
        output=CapsOut,
        success="AiCapsChanged_200",
        description="What waits for a cap goes on. The caps hold for all workers together.",
    )
    def update(self, request: Request, data: JsonObject) -> object:
        change_caps(**data)
        return read_caps()
