"""mobileBackground: what mails and pages stand on, on small screens."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from accounts.settings.base import Shape
from core.api.addresses import WebAddressInput


class ImageAddress(WebAddressInput):
    """An https address that can stand in a style sheet's url("…") and not end it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(schemes=("https",), max_length=500, **options)

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if set(text) & set("\"'()<>\\`;"):
            raise serializers.ValidationError("must write quotes, brackets and backslashes percent-encoded", code="url")
        return text


class MobileBackgroundShape(Shape):
    color = serializers.RegexField(r"\A#[0-9a-fA-F]{6}\Z", default="#f4f5f7", help_text="#rrggbb")
    image = ImageAddress(default="", allow_blank=True, help_text="https address of a picture; empty: none.")
