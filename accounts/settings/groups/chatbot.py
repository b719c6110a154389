"""manualChatbot: the defaults of new chatbots (contract section 2, ManualChatbot)."""

from __future__ import annotations

from rest_framework import serializers

from accounts.settings.groups.base import Shape, read_stored_setting
from core.api.input import BooleanInput, IntegerInput, TextInput
from core.types import JsonObject


class DefaultHandover(Shape):
    """Handover rule of new chatbots."""

    mode = serializers.ChoiceField(choices=["any", "all"], default="any", help_text="How many of the rules must hold.")


class DefaultRouting(Shape):
    """Routing of new chatbots: whether conversations may leave or enter."""

    label = TextInput(default="", allow_blank=True, max_length=100)  # type: ignore[assignment]
    allowLeave = BooleanInput(default=True)
    allowEnter = BooleanInput(default=True)


class DefaultAttachments(Shape):
    """Attachments allowed in conversations with a new chatbot."""

    custom = BooleanInput(default=False)
    maxFileSizeMb = IntegerInput(default=10, min_value=1, max_value=100)


class ManualChatbotShape(Shape):
    """Initial settings of new chatbots."""

    kind = serializers.ChoiceField(choices=["flow", "router"], default="flow")
    handover = DefaultHandover(required=False)
    routing = DefaultRouting(required=False)
    attachments = DefaultAttachments(required=False)


def chatbot_defaults(company_id: str) -> JsonObject:
    """Return the defaults of the company's new chatbots, by the contract's names. The body of a POST overrides them."""
    return ManualChatbotShape.fill(read_stored_setting(company_id, "manual_chatbot"))
