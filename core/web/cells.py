"""Values of any type as pages write them in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def cell(value: Any) -> str:
    """Write a value of any type in one line: names of records, lists with commas, yes and no, nothing for null."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, Mapping):
        return str(value.get("name") or value.get("label") or value.get("email") or "")
    if isinstance(value, list):
        return ", ".join(cell(one) for one in value)
    return str(value)
