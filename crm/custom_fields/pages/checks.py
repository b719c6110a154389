"""Checks of a custom field's form: settings that the API would drop, and fields that no form of records can hold."""

from __future__ import annotations

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.forms import Form

TEXTS = ("text", "textarea")
WITH_OPTIONS = ("select", "radio", "multi-select")
CHECKED = {"fieldType", "valueType", "children", "options", "required", "hide", "onlyShowTable", "defaultValue"}
"""Properties of a field that decide whether forms can hold it."""
NO_LIST = gettext_lazy("Only text and file fields can hold a list; only text fields can hold parts.")
ALWAYS_LIST = gettext_lazy("Choices of several are always a list.")
NO_PARTS = gettext_lazy("To add parts, choose a text field that holds a list or a record.")
NO_OPTIONS = gettext_lazy("Write at least one option.")
NO_INPUT = gettext_lazy("Forms can't show this field. Set a default value, or turn Required off.")


def check_field(form: Form, values: Values, held: str) -> bool:
    """Put errors at what the API would drop, and at what would keep people from adding records.

    `held` is the value type of a list or record that the field has already. Returns whether the form has no error.
    """
    field_type = values.get("fieldType", "")
    holds = form.values.get("holds") or ""
    is_list = field_type == "multi-select" or (field_type == "checkbox" and bool(values["options"]))
    fits = field_type in TEXTS or not holds or (holds == "array" and (is_list or field_type == "file"))
    turns = is_list and not holds and held == "array"
    wrong = ALWAYS_LIST if turns else NO_LIST
    errors = {
        "holds": wrong if turns or not fits else "",
        "parts": NO_PARTS if form.values.get("parts") and not (holds and field_type in TEXTS) else "",
        "more": NO_OPTIONS if field_type in WITH_OPTIONS and not values["options"] else "",
        "required": NO_INPUT if has_no_input(values) else "",
    }
    for name, text in errors.items():
        if text and name in form.fields:
            form.add_error(name, text)
    return not form.errors


def has_no_input(field: Values) -> bool:
    """Return whether every record needs the field, and no form of records has an input for it."""
    if not field.get("required") or field.get("defaultValue") is not None:
        return False
    is_record = field.get("valueType") == "object" or bool(field.get("children"))
    return bool(field.get("hide") or field.get("onlyShowTable") or is_record)
