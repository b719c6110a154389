"""mobileBackground: the background of mails and pages on small screens (accounts.settings.branding)."""

from __future__ import annotations

import re
from typing import Any

from rest_framework import serializers

from accounts.settings.groups.base import Shape
from core.api.addresses import WebAddressInput
from core.api.input import TextInput


class Color(TextInput):
    """A colour such as #1d4ed8."""

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not re.fullmatch("#[0-9a-fA-F]{6}", text):
            raise serializers.ValidationError("enter a color, such as #1d4ed8", code="color")
        return text.lower()


class MobileBackgroundShape(Shape):
    """Background of mails and pages on small screens."""

    color = Color(default="#f3f4f6")
    image = WebAddressInput(
        default="",
        allow_blank=True,
        schemes=("https",),
        max_length=500,
        help_text="https address of a picture, or none.",
    )
