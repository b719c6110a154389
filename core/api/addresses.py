"""Email addresses, phone numbers and web addresses as inputs."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.api.input import Input, TextInput
from core.text.addresses import BadAddress, Phone, read_country_code, read_email, read_phone
from core.types import JsonObject

PARTS = {"countryCode", "number"}


class EmailInput(TextInput):
    """An email address, its domain in normal form."""

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        try:
            return read_email(text)
        except BadAddress as error:
            raise serializers.ValidationError(str(error), code="email") from None


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "examples": ["+49 30 123456"]},
            {
                "type": "object",
                "properties": {"countryCode": {"type": "string", "examples": ["+49"]}, "number": {"type": "string"}},
                "required": ["countryCode", "number"],
                "additionalProperties": False,
            },
        ]
    }
)
class PhoneInput(serializers.Field[Any, Any, Any, Any]):
    """A phone number: `{countryCode, number}`, or text in the international form.

    Its value is a Phone, or None for "" with `allow_blank`.
    """

    def __init__(self, *, allow_blank: bool = False, **options: Any) -> None:
        self.allow_blank = allow_blank
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> Phone | None:
        if data == "" and self.allow_blank:
            return None
        try:
            if isinstance(data, str):
                return read_phone(None, data)
            if isinstance(data, dict) and data.keys() == PARTS:
                return read_phone(read_country_code(data["countryCode"]), data["number"])
        except BadAddress as error:
            raise serializers.ValidationError(str(error), code="phone") from None
        raise serializers.ValidationError(
            "must be {countryCode, number}, or text such as +49 30 123456", code="invalid"
        )

    def to_representation(self, value: Any) -> Any:
        return value


class PhonePartsInput(Input):
    """A body with contactNumber, whose parts are taken at the top as well, as answers show them.

    Subclasses declare `contactNumber`, a PhoneInput.
    """

    together = ("countryCode", "number")
    countryCode = TextInput(required=False, allow_blank=True, help_text="With number, instead of contactNumber.")
    number = TextInput(required=False, allow_blank=True)

    def to_internal_value(self, data: Any) -> JsonObject:
        parts = {name: data[name] for name in self.together if name in data} if isinstance(data, dict) else {}
        if not parts:
            return super().to_internal_value(data)
        if "contactNumber" in data:
            detail = serializers.ErrorDetail("send it, or countryCode and number", code="conflict")
            raise serializers.ValidationError({"contactNumber": detail})
        phone = "" if all(value == "" for value in parts.values()) else parts
        rest = {name: value for name, value in data.items() if name not in parts}
        return super().to_internal_value({**rest, "contactNumber": phone})


class WebAddressInput(TextInput):
    """A web address (http or https), or "" with `allow_blank`."""

    def __init__(self, *, schemes: tuple[str, ...] = ("http", "https"), **options: Any) -> None:
        options.setdefault("max_length", 200)
        self.check = URLValidator(
            schemes=list(schemes), message=f"must be an address that begins with {' or '.join(schemes)}://"
        )
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        try:
            self.check(text)
        except ValidationError as error:
            raise serializers.ValidationError(error.messages[0], code="url") from None
        return text
