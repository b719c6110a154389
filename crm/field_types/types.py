"""The thirteen field types, one class each."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from core.text.addresses import EMAIL, PHONE, BadAddress, read_email, read_phone
from core.text.direction import strip_direction_marks
from crm.field_types.base import NO_OPTION, BadValue, FieldSpec, FieldType, TextFormat
from crm.field_types.dates import SUCH_AS
from crm.field_types.numbers import NUMBER
from crm.field_types.values import clean_text, describe

TIME_SUCH_AS = "Write one such as 2026-01-31T09:30:00Z or 31.01.2026 09:30."
MAX_LINE = 5000
MAX_NAMED = 10
"""The most options that a message names."""
_LINE_BREAK = re.compile(r"[\r\n]")
_URL_SCHEMES = ("http", "https")


class Text(FieldType):
    """One line of text, or a value of another value type."""

    name, value_types = "text", ("string", "any", "number", "boolean", "member", "array", "object")

    def check(self, value: Any, field: FieldSpec) -> Any:
        return strip_direction_marks(clean_text(value, MAX_LINE)) if isinstance(value, str) else value


class TextArea(FieldType):
    """Several lines of text."""

    name, value_types = "textarea", ("string", "any", "array", "object")


class Number(FieldType):
    name, value_types = "number", ("number",)

    def advice(self, field: FieldSpec) -> str:
        return NUMBER


class Date(FieldType):
    name, value_types = "date", ("date",)

    def advice(self, field: FieldSpec) -> str:
        return SUCH_AS


class DateTime(FieldType):
    """A time of a day. A day without a time is kept as it is."""

    name, value_types = "datetime", ("date",)

    def advice(self, field: FieldSpec) -> str:
        return TIME_SUCH_AS


def named_options(field: FieldSpec) -> str:
    """Return the first options by their labels, with the value of one that is called otherwise: Very hot (hot)."""
    pairs = zip(field.option_labels or field.options, field.options, strict=True)
    named = [value if value.lower() == label.lower() else f"{label} ({value})" for label, value in pairs]
    return ", ".join(named[:MAX_NAMED])


class Choice(FieldType):
    """One of the options' values; a choice of members or files needs no options."""

    takes_options = True

    def advice(self, field: FieldSpec) -> str:
        return f"Choose one of these: {named_options(field)}." if field.options else ""

    def check(self, value: Any, field: FieldSpec) -> Any:
        for item in value if isinstance(value, list) else (value,):
            self._check_one(item, field)
        return value

    def _check_one(self, item: Any, field: FieldSpec) -> None:
        if field.value_type.name in ("member", "file") or isinstance(item, dict):
            return
        text = str(item).lower() if isinstance(item, bool) else str(item)
        if text not in field.options:
            if not field.options:
                raise BadValue(f"{describe(item)} is not an option. Add options to the field first.")
            more = f" (there are {len(field.options)})" if len(field.options) > MAX_NAMED else ""
            raise BadValue(
                f"{describe(item)} is not an option. Choose one of these: {named_options(field)}{more}.",
                NO_OPTION,
            )


class Select(Choice):
    name, value_types = "select", ("string", "number", "boolean", "member", "any")


class Radio(Choice):
    name, value_types = "radio", ("string", "number", "boolean", "any")


class MultiSelect(Choice):
    """Any number of the options' values, as an array; a value type other than array is that of its items."""

    name = "multi-select"
    value_types = ("array", "string", "number", "member", "any")
    always_many = True


class Checkbox(Choice):
    """One box (boolean), or several of the options' values (array)."""

    name, value_types = "checkbox", ("boolean", "array")

    def check(self, value: Any, field: FieldSpec) -> Any:
        return super().check(value, field) if isinstance(value, list) else value


class File(FieldType):
    """One stored file, or several (array)."""

    name, value_types = "file", ("file", "array")


class Email(FieldType):
    name, value_types = "email", ("string",)

    def advice(self, field: FieldSpec) -> str:
        return EMAIL

    def check(self, value: Any, field: FieldSpec) -> str:
        try:
            return read_email(value)
        except BadAddress as error:
            raise BadValue(str(error), error.code) from None


class Phone(FieldType):
    """A number in international form, stored as E.164."""

    name, value_types = "phone", ("string",)

    def advice(self, field: FieldSpec) -> str:
        return PHONE

    def check(self, value: Any, field: FieldSpec) -> str:
        return self.check_text(value, field, TextFormat())

    def check_text(self, value: Any, field: FieldSpec, how: TextFormat) -> str:
        try:
            return read_phone(None, value, how.country).e164
        except BadAddress as error:
            raise BadValue(str(error), error.code) from None


class Url(FieldType):
    """An address on the web."""

    name, value_types = "url", ("string",)

    def advice(self, field: FieldSpec) -> str:
        return "Write one such as https://example.com."

    def check(self, value: Any, field: FieldSpec) -> str:
        text = clean_text(value, 2000).strip()
        try:
            parts = urlsplit(text if "://" in text else f"https://{text}")
            named = parts.scheme.lower() in _URL_SCHEMES and "." in (parts.hostname or "") and parts.port != 0
            usable = named and not re.search(r"\s", text)
        except ValueError:
            usable = False
        if not usable:
            raise BadValue(f"{describe(value)} is not a web address. Enter one like https://example.com.")
        return parts.geturl()


_ALL: tuple[type[FieldType], ...] = (
    Text,
    Number,
    TextArea,
    Select,
    MultiSelect,
    File,
    Checkbox,
    Date,
    DateTime,
    Radio,
    Email,
    Phone,
    Url,
)
FIELD_TYPES: dict[str, FieldType] = {field_type.name: field_type() for field_type in _ALL}
