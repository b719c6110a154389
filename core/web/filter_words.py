"""Conditions in words, where pages show them and nobody changes them there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.web.filters import WORDS

NAMES = {"tags": "Tag", "category": "Category", "teamMember": "Assigned to", "updatedAt": "Changed"}
"""Fields that have no definition -> their words."""
RECORDS = {
    "tags": "tag",
    "category": "contact-category",
    "segment": "segment",
    "team": "team",
    "teamMember": "member",
    "contact": "contact",
}
"""Field whose values are ids -> path and module of what they are the ids of."""


def in_words(node: Mapping[str, Any], names: Mapping[str, str], records: Mapping[str, str]) -> str:
    """Write a condition, or a tree of them, as people say it. `records` has the names of ids."""
    if "conditions" in node:
        joined = f" {node.get('operator', 'and')} ".join(in_words(one, names, records) for one in node["conditions"])
        return f"({joined})"
    field = node["field"]
    value = node.get("value")
    several = value if isinstance(value, list) else [value]
    texts = [str(one.get("name", "")) if isinstance(one, dict) else str(one) for one in several if one is not None]
    # Ids say nothing to people; the page of the members shows who is meant.
    said = [records.get(one, "…") if field in RECORDS else one for one in texts]
    words = WORDS.get(node.get("operator", ""), "is")
    return f"{names.get(field) or NAMES.get(field, field)} {words} {', '.join(dict.fromkeys(said))}".strip()
