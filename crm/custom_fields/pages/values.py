"""Parts and default values of custom fields as people write them in a form, and as the API takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values

TYPES = {
    "text": gettext_lazy("Text"),
    "textarea": gettext_lazy("Long text"),
    "number": gettext_lazy("Number"),
    "date": gettext_lazy("Day"),
    "datetime": gettext_lazy("Date and time"),
    "checkbox": gettext_lazy("Yes or no"),
    "select": gettext_lazy("Choice of one, as a list"),
    "radio": gettext_lazy("Choice of one, as buttons"),
    "multi-select": gettext_lazy("Choice of several"),
    "email": gettext_lazy("Email address"),
    "phone": gettext_lazy("Phone number"),
    "url": gettext_lazy("Web address"),
    "file": gettext_lazy("File"),
}
PART_TYPES = ("text", "textarea", "number", "date", "datetime", "checkbox", "email", "phone", "url")
PART_VALUES = {"number": "number", "date": "date", "datetime": "date", "checkbox": "boolean"}
"""Type of a part -> the type of its values; others contain text."""
YES, NO = ("yes", "true", "on"), ("no", "false", "off")


def parts_text(children: Sequence[Values]) -> str:
    """Write the parts of a field, one a line: Street: Text."""
    return "\n".join(f"{child['name']}: {TYPES.get(child['fieldType'], child['fieldType'])}" for child in children)


def parts_of(text: str, had: Sequence[Values]) -> list[JsonObject]:
    """Read the parts. An existing part keeps all properties that its line does not state."""
    parts_by_name = {part["name"]: part for part in had}
    types = {label.casefold(): name for name, label in TYPES.items()} | {name: name for name in TYPES}
    parts = []
    for line in filter(None, (part.strip() for part in text.splitlines())):
        name, _, label = line.rpartition(":")
        kind = types.get(label.strip().casefold(), "") if name else ""
        name = name.strip() if kind else line
        before = parts_by_name.get(name, {})
        if kind and kind == before.get("fieldType") or not kind and before:
            parts.append(dict(before))
        else:
            kind = kind if kind in PART_TYPES else "text"
            parts.append({"name": name, "fieldType": kind, "valueType": PART_VALUES.get(kind, "string")})
    return parts


def default_text(record: Values) -> Any:
    """Write the default value of a field in one line: labels for options, yes or no."""
    value = record["defaultValue"]
    labels = {choice["value"]: choice["label"] or choice["value"] for choice in record["options"]}
    if isinstance(value, bool):
        return gettext("Yes") if value else gettext("No")
    if isinstance(value, list):
        return ", ".join(str(labels.get(choice, choice)) for choice in value)
    if isinstance(value, str):
        return labels.get(value, value)
    return "" if value is None else str(value)


def default_of(text: str, field_type: str, options: Sequence[Values], *, many: bool) -> Any:
    """Read a default value; one that fits no type is passed on, and the API refuses it with a reason."""
    values = {
        str(choice.get("label") or choice.get("value")): choice.get("value") or choice.get("label")
        for choice in options
    }
    if not text:
        return None
    if many:
        return [values.get(choice.strip(), choice.strip()) for choice in text.split(",") if choice.strip()]
    if field_type == "number":
        try:
            return int(text) if text.removeprefix("-").isdecimal() else float(text)
        except ValueError:  # also of int, for more digits than Python reads
            return text
    if field_type == "checkbox":
        if text.casefold() in YES:
            return True
        return False if text.casefold() in NO else text
    return values.get(text, text)
