"""The country code of a new contact's phone number, which forms suggest from the company's country."""

from __future__ import annotations

from core.text.phone_rules import main_code
from core.types import Values
from core.web.forms import Field, Form
from core.web.pages import Page


def suggest_dial_code(page: Page, fields: list[Field]) -> None:
    """Fill the field of the country code with that of the company's country."""
    for field in fields:
        if field.name == "countryCode":
            field.initial = main_code(page.reader.formats.country)


def drop_unused_dial_code(form: Form, values: Values) -> Values:
    """Return the values without a country code that belongs to no number, or whose number has its own."""
    number = str(values.get("number") or "").strip()
    if form.fields["countryCode"].required or (number and not number.startswith("+")):
        return values
    return {name: value for name, value in values.items() if name != "countryCode"}
