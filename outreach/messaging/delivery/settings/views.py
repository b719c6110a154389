"""Endpoints of a company's sending hours."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.errors import PermissionLacking
from core.types import JsonObject
from outreach.messaging.delivery.limits.sending_hours import change_settings, read_settings
from outreach.messaging.delivery.settings.serializers import SettingsInput, SettingsOut

ABOUT_SENDERS = {
    "bounce_percent": "bouncePercent",
    "complaint_percent": "complaintPercent",
    "guard_from": "guardFrom",
    "provider_limits": "providerLimits",
    "vendor_limits": "vendorLimits",
    "track_opens": "trackOpens",
    "track_clicks": "trackClicks",
    "utm_tags": "utmTags",
    "utm_source": "utmSource",
    "utm_medium": "utmMedium",
}
"""Settings of the company's senders, and of all that they send: members who may change senders may change them."""


class GenieSettingsViewSet(ResourceViewSet):
    module = "genie"
    singleton = True

    @endpoint(
        "Read the sending hours",
        description="Days and hours in which messages go out, and the limits that pause a sender.",
        output=SettingsOut,
    )
    def retrieve(self, request: Request) -> object:
        return read_settings()

    @endpoint(
        "Change the sending hours",
        input=SettingsInput,
        output=SettingsOut,
        success="SendingHoursChanged_200",
        errors=("UnauthorizedAction_403",),
        description="What stops senders, their limits and tracking take apps.PUT too, as resuming a stopped one does.",
    )
    def update(self, request: Request, data: JsonObject) -> object:
        self._check_senders(data)
        change_settings(**data)
        return read_settings()

    def _check_senders(self, data: JsonObject) -> None:
        current = read_settings()
        changed = [
            shown
            for name, shown in ABOUT_SENDERS.items()
            if name in data and _set_limits(data[name]) != _set_limits(current[shown])
        ]
        if changed and not self.actor.may("apps", "PUT"):
            raise PermissionLacking("apps.PUT", field=changed[0])


def _set_limits(value: Any) -> Any:
    """Return a setting; of limits, only the set ones."""
    return {key: limit for key, limit in value.items() if limit} if isinstance(value, dict) else value
