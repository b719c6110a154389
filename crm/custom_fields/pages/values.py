"""Parts and default values of custom fields as people write them in a form, and as the API takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

TYPES = {
    "text": "Text",
    "textarea": "Long text",
    "number": "Number",
    "date": "Day",
    "datetime": "Date and time",
    "checkbox": "Yes or no",
    "select": "Choice of one, as a list",
    "radio": "Choice of one, as buttons",
    "multi-select": "Choice of several",
    "email": "E-mail address",
    "phone": "Phone number",
    "url": "Web address",
    "file": "File",
}
PART_TYPES = ("text", "textarea", "number", "date", "datetime", "checkbox", "email", "phone", "url")
PART_VALUES = {"number": "number", "date": "date", "datetime": "date", "checkbox": "boolean"}
"""Type of a part -> the type of its values; others contain text."""
YES, NO = ("yes", "true", "on"), ("no", "false", "off")


def parts_text(children: Sequence[Mapping[str, Any]]) -> str:
    """Write the parts of a field, one a line: Street: Text."""
    return "\n".join(f"{one['name']}: {TYPES.get(one['fieldType'], one['fieldType'])}" for one in children)


def parts_of(text: str, had: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Read the parts. An existing part keeps all properties that its line does not state."""
    known = {one["name"]: one for one in had}
    types = {words.casefold(): name for name, words in TYPES.items()} | {name: name for name in TYPES}
    found = []
    for line in filter(None, (one.strip() for one in text.splitlines())):
        name, _, words = line.rpartition(":")
        kind = types.get(words.strip().casefold(), "") if name else ""
        name = name.strip() if kind else line
        before = known.get(name, {})
        if kind and kind == before.get("fieldType") or not kind and before:
            found.append(dict(before))
        else:
            kind = kind if kind in PART_TYPES else "text"
            found.append({"name": name, "fieldType": kind, "valueType": PART_VALUES.get(kind, "string")})
    return found


def default_text(record: Mapping[str, Any]) -> Any:
    """Write the default value of a field in one line: labels for options, yes or no."""
    value = record["defaultValue"]
    labels = {one["value"]: one["label"] or one["value"] for one in record["options"]}
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, list):
        return ", ".join(str(labels.get(one, one)) for one in value)
    return labels.get(value, value) if isinstance(value, str) else "" if value is None else str(value)


def default_of(text: str, field_type: str, options: Sequence[Mapping[str, Any]], *, many: bool) -> Any:
    """Read a default value; one that fits no type is passed on, and the API refuses it with a reason."""
    values = {str(one.get("label") or one.get("value")): one.get("value") or one.get("label") for one in options}
    if not text:
        return None
    if many:
        return [values.get(one.strip(), one.strip()) for one in text.split(",") if one.strip()]
    if field_type == "number":
        try:
            return int(text) if text.lstrip("-").isdecimal() else float(text)
        except ValueError:
            return text
    if field_type == "checkbox":
        return True if text.casefold() in YES else False if text.casefold() in NO else text
    return values.get(text, text)
