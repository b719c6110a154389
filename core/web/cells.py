"""Values of any type as pages write them in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from core.web.field_values import number_text


def format_cell(value: Any) -> str:
    """Format a value of any type in one line: names of records, lists with commas, yes and no, nothing for null.

    An object that is not one of our records is written part by part.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, Mapping):
        if "_id" in value or not value.keys().isdisjoint(("name", "label", "email")):
            return str(value.get("name") or value.get("label") or value.get("email") or "")
        return ", ".join(f"{key}: {format_cell(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(format_cell(entry) for entry in value)
    return str(value)
