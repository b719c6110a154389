"""The address that starts runs of workflows by webhook."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.input import Input
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from workflows.triggers.enrolment import call_hook


class HookCall(Input):
    """Any JSON object: expressions find it as trigger.payload."""

    def to_internal_value(self, data: Any) -> JsonObject:
        return {"payload": data}


class HookViewSet(ResourceViewSet):
    public = True

    @endpoint(
        "Start a run by webhook",
        input=HookCall,
        success="WorkflowHookAccepted_200",
        errors=("WorkflowNotFound_404", "InvalidInput_400"),
        limited=True,
    )
    def create(self, request: Request, token: str, data: JsonObject) -> object:
        call_hook(token, data["payload"])
        return None
