"""Endpoints of company settings (contract 4.9)."""

from __future__ import annotations

from rest_framework.request import Request

from accounts.settings.serializers import CompanySettingsOut, CompanySettingsUpdate
from accounts.settings.services import read_settings, update_settings
from core.api.endpoint import endpoint
from core.api.output import to_snake_case
from core.api.viewsets import ResourceViewSet
from core.internals.rest_framework import declared_fields
from core.types import JsonObject


def _answer() -> JsonObject:
    settings = read_settings()
    return {name: settings[to_snake_case(name)] for name in declared_fields(CompanySettingsOut)}


class SettingsViewSet(ResourceViewSet):
    module = "settings"
    singleton = True

    @endpoint(
        "Read the settings", output=CompanySettingsOut, errors=("SettingsNotFound_400",), needs_subscription=False
    )
    def retrieve(self, request: Request) -> object:
        return _answer()

    @endpoint(
        "Change settings",
        input=CompanySettingsUpdate,
        output=CompanySettingsOut,
        success="SettingsChanged_200",
        errors=(
            "InvalidEmailTemplate_400",
            "InvalidChatAppTemplate_400",
            "SettingsNotFound_400",
            "InvalidTimezone_400",
            "UniqueKeyInvalid_400",
        ),
        description="Changes what is given. The objects notificationSettings, mobileBackground, teamSettings,"
        " subscriptionPolicies and"
        " manualChatbot are merged key by key, and arrays in them are replaced. The time zone is the company's own."
        " contactUniqueKey is refused while live contacts share a value of it.",
    )
    def update(self, request: Request, data: JsonObject) -> object:
        update_settings(changes=data)
        return _answer()
