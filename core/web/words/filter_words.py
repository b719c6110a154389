"""Conditions as read-only text on pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.text.formats import Formats
from core.text.labels.words import CAMEL, name_label
from core.text.translation import gettext_lazy
from core.types import Values
from core.web.field_values import dated_text
from core.web.filters import OF_SEVERAL, WORDS, Choice
from core.web.forms.inputs import option_text

NAMES = {
    "tags": gettext_lazy("Tag"),
    "category": gettext_lazy("Category"),
    "teamMember": gettext_lazy("Assigned to"),
    "updatedAt": gettext_lazy("Changed"),
}
"""Fields without a definition -> their labels."""
PIPELINES = "pipeline"
RECORDS = {
    "tags": "tag",
    "category": "contact-category",
    "segment": "segment",
    "team": "team",
    "teamMember": "member",
    "contact": "contact",
    "organization": "organization",
    "owner": "member",
    "pipeline": PIPELINES,
    "stage": PIPELINES,
}
"""Field whose values are ids -> path and module of their records; a pipeline holds its stages."""


def filter_text(
    node: Values,
    names: Mapping[str, str],
    records: Mapping[str, str],
    choices: Mapping[str, Choice] | None = None,
    formats: Formats | None = None,
) -> str:
    """Format a condition, or a tree of them, as readable text.

    `records` has the names of ids, `choices` the labels of options; days are written in `formats`.
    """
    if "conditions" in node:
        parts = [filter_text(inner, names, records, choices, formats) for inner in node["conditions"]]
        joined = f" {node.get('operator', 'and')} ".join(parts)
        return f"({joined})"
    field = node["field"]
    value = node.get("value")
    several = value if isinstance(value, list) else [value]
    choice = (choices or {}).get(field)
    texts = [_value_label(inner, field, records, choice, formats) for inner in several if inner is not None]
    operator = node.get("operator", "")
    plain = OF_SEVERAL.get(operator) if len(texts) > 1 else WORDS.get(operator)
    phrase = choice.words(operator, len(texts) > 1) if choice else plain or "is"
    label = names.get(field) or NAMES.get(field) or (name_label(field) if CAMEL.fullmatch(field) else field)
    return f"{label} {phrase} {', '.join(map(str, dict.fromkeys(texts)))}".strip()


def _value_label(
    value: Any, field: str, records: Mapping[str, str], choice: Choice | None, formats: Formats | None
) -> str:
    if isinstance(value, Mapping):
        return (
            f"{value['amount']} {value['unit']}" if {"amount", "unit"} <= value.keys() else str(value.get("name", ""))
        )
    text = option_text(value)
    label = dict(choice.options).get(text) if choice else None
    if field in RECORDS:  # ids say nothing to people; the page of the members shows who is meant
        return records.get(str(value)) or label or "…"
    if label is not None:
        return label
    return dated_text(text, formats) if choice and choice.kind == "date" and formats else text
