"""notificationSettings: which notices are sent, and how (accounts.members.notices)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rest_framework import serializers

from accounts.settings.groups.base import Shape
from accounts.settings.notices import NOTICES
from core.api.input import BooleanInput, ObjectIdInput
from core.errors import NamedError, shorten
from core.types import JsonObject, Values

_templates: dict[str, Callable[[str], bool]] = {}


def register_template_source(kind: str, exists: Callable[[str], bool]) -> None:
    """Register how the active company's templates of a kind (email, chatapp) are looked up by id."""
    _templates[kind] = exists


class NoticeChannels(Shape):
    """Channels of a notice."""

    email = BooleanInput(default=True, help_text="Mail it.")
    emailTemplate = ObjectIdInput(
        default=None, allow_null=True, help_text="The mail's template; null: the product's own words."
    )
    chatapp = BooleanInput(default=False, help_text="Send it by chat app, which takes a template.")
    chatappTemplate = ObjectIdInput(default=None, allow_null=True)


class NotificationSettings(serializers.DictField):
    """Notice -> how it is given; a notice that is absent has its default."""

    child = NoticeChannels()

    def to_internal_value(self, data: Any) -> JsonObject:
        if isinstance(data, dict):
            unknown = {
                shorten(key): f"unknown notice; there are {', '.join(sorted(NOTICES))}"
                for key in data
                if key not in NOTICES
            }
            if unknown:
                raise serializers.ValidationError(unknown, code="unknown")
        return super().to_internal_value(data)

    @classmethod
    def fill(cls, stored: Values) -> JsonObject:
        """Return every kind of notice: stored values, and defaults for the rest."""
        return {
            key: NoticeChannels.fill({"email": notice.on, **stored.get(key, {})})
            for key, notice in sorted(NOTICES.items())
        }


def check_templates(settings_by_kind: Mapping[str, Values]) -> None:
    """Raise InvalidEmailTemplate_400 or InvalidChatAppTemplate_400 for a template that the company does not have."""
    for notice, channels in settings_by_kind.items():
        where = f"notificationSettings.{notice}"
        if not _is_found("email", channels["emailTemplate"]):
            raise NamedError(
                "InvalidEmailTemplate_400",
                "this template no longer exists; choose another",
                field=f"{where}.emailTemplate",
            )
        if not _is_found("chatapp", channels["chatappTemplate"]):
            raise NamedError(
                "InvalidChatAppTemplate_400",
                "this template no longer exists; choose another",
                field=f"{where}.chatappTemplate",
            )
        if channels["chatapp"] and channels["chatappTemplate"] is None:
            raise NamedError(
                "InvalidChatAppTemplate_400",
                "choose a template for chats",
                field=f"{where}.chatapp",
            )


def _is_found(kind: str, template_id: str | None) -> bool:
    return template_id is None or (kind in _templates and _templates[kind](template_id))
