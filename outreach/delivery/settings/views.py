"""Endpoints of a company's sending hours."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from outreach.delivery.limits.sending_hours import change_settings, read_settings
from outreach.delivery.settings.serializers import SettingsInput, SettingsOut


class GenieSettingsViewSet(ResourceViewSet):
    module = "genie"
    singleton = True

    @endpoint("Read the sending hours", output=SettingsOut)
    def retrieve(self, request: Request) -> Any:
        return read_settings()

    @endpoint("Change the sending hours", input=SettingsInput, output=SettingsOut, success="SendingHoursChanged_200")
    def update(self, request: Request, data: dict[str, Any]) -> Any:
        change_settings(**data)
        return read_settings()
