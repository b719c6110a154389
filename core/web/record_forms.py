"""Forms and columns made from a company's own fields, as GET custom-field answers them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from core.web.forms import Field, Option
from core.web.lists import Choice, Column

KINDS = {
    "text": "text",
    "textarea": "textarea",
    "number": "number",
    "date": "date",
    "select": "select",
    "radio": "radio",
    "multi-select": "checks",
    "email": "email",
    "phone": "tel",
    "url": "url",
}
"""Field type of the API -> kind of a form's field."""
OPERATORS = {
    "number": ("equals", "greaterThan", "lessThan", "isEmpty", "isNotEmpty"),
    "date": ("before", "after", "isEmpty", "isNotEmpty"),
}
TEXT_OPERATORS = ("contains", "equals", "startsWith", "isEmpty", "isNotEmpty")
Definition = Mapping[str, Any]


def fields_query(panel: str) -> dict[str, Any]:
    """Return the parameters that list the panel's fields in their order."""
    return {"filters": {"panel": panel}, "sortBy": "order", "sortOrder": "asc", "p": "1", "n": "200"}


def shown_fields(definitions: Iterable[Definition]) -> list[Definition]:
    """Return the custom fields that people see, without those that the company hides."""
    return [one for one in definitions if not one["isSystem"] and not one["hide"]]


def form_field(one: Definition) -> Field | None:
    """Make the form's field of a definition, or None for a type that no plain form can hold (files, objects)."""
    kind = KINDS.get(one["fieldType"])
    if one["fieldType"] == "checkbox":
        kind = "checks" if one["valueType"] == "array" else "switch"
    if kind is None or one["children"] or one["onlyShowTable"]:
        return None
    if kind != "checks" and one["valueType"] in ("member", "file", "array", "object"):
        return None
    return Field(
        one["uniqueFieldID"],
        one["name"],
        kind,
        required=one["required"],
        help=one["helper"] or "",
        placeholder=one["placeholder"] or "",
        options=[Option(str(option["value"]), option["label"] or str(option["value"])) for option in one["options"]],
        value=one["defaultValue"],
    )


def choice_of(one: Definition) -> Choice:
    """Return how people filter by a field."""
    options = tuple((str(option["value"]), option["label"] or str(option["value"])) for option in one["options"])
    operators = ("in",) if options else OPERATORS.get(one["fieldType"], TEXT_OPERATORS)
    return Choice(one["uniqueFieldID"], one["name"], operators, options, number=one["valueType"] == "number")


UNSORTED = ("array", "object", "file")
"""Value types that lists are not sorted by."""


def column_of(one: Definition) -> Column:
    """Return the column of a company's own field."""
    name = one["uniqueFieldID"]
    return Column(
        name,
        one["name"],
        "" if one["valueType"] in UNSORTED or one["children"] else name,
        custom=True,
        labels={str(option["value"]): option["label"] or str(option["value"]) for option in one["options"]},
        editable=form_field(one) is not None,
    )
