"""Forms and columns built from a company's own fields, as GET custom-field returns them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from core.web.filters import DATE, KNOWN, NUMBER, ONE_OF, TEXT, YES_NO, Choice
from core.web.forms import Field, Option
from core.web.lists import Column

FIELD_KINDS = {
    "text": "text",
    "textarea": "textarea",
    "number": "number",
    "date": "date",
    "datetime": "datetime",
    "select": "select",
    "radio": "radio",
    "multi-select": "checks",
    "email": "email",
    "phone": "tel",
    "url": "url",
}
"""Field type of the API -> kind of a form's field."""
Definition = Mapping[str, Any]


def fields_query(panel: str) -> dict[str, Any]:
    """Return the parameters that list the panel's fields in their order."""
    return {"filters": {"panel": panel}, "sortBy": "order", "sortOrder": "asc", "p": "1", "n": "200"}


def shown_fields(definitions: Iterable[Definition]) -> list[Definition]:
    """Return the custom fields that people see, without those that the company hides."""
    return [one for one in definitions if not one["isSystem"] and not one["hide"]]


def form_field(one: Definition, zone: str = "UTC") -> Field | None:
    """Make the form's field of a definition, or None for a type that no plain form can hold (files, objects).

    Times are shown and typed in `zone`.
    """
    kind = FIELD_KINDS.get(one["fieldType"])
    if one["fieldType"] == "checkbox":
        kind = "checks" if one["valueType"] == "array" else "switch"
    if kind is None or one["children"] or one["onlyShowTable"]:
        return None
    if one["valueType"] in ("member", "file", "object") or (one["valueType"] == "array" and kind != "checks"):
        return None
    return Field(
        one["uniqueFieldID"],
        name_of(one),
        kind,
        required=one["required"],
        help=one["helper"] or "",
        placeholder=one["placeholder"] or "",
        options=[Option(str(option["value"]), option["label"] or str(option["value"])) for option in one["options"]],
        value=one["defaultValue"],
        zone=zone,
        any_type=one["valueType"] == "any",
    )


def form_values(definitions: Iterable[Definition], form_data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record's values by the names of its form: None, and not the default, for missing ones."""
    return {**{one["uniqueFieldID"]: None for one in definitions}, **form_data}


def status_labels(definitions: Iterable[Definition]) -> dict[str, str]:
    """Return the labels of the statuses of leads."""
    options = (one["options"] for one in definitions if one["isSystem"] and one["uniqueFieldID"] == "status")
    return {one["value"]: one["label"] or one["value"] for one in next(options, ())}


def name_of(one: Definition) -> str:
    """Return the field's name. The built-in address is called as everywhere on the pages, unless it was renamed."""
    return "E-mail" if one["isSystem"] and one["name"] == "Email" else str(one["name"])


def choice_of(one: Definition) -> Choice:
    """Return how people filter by a field."""
    name, label = one["uniqueFieldID"], name_of(one)
    options = tuple((str(option["value"]), option["label"] or str(option["value"])) for option in one["options"])
    kind = one["valueType"] if one["valueType"] in ("number", "date") else "text"
    if one["valueType"] == "boolean":
        return Choice(name, label, ("equals", "notEquals", *KNOWN), YES_NO, "flag")
    return Choice(name, label, ONE_OF if options else OPERATORS[kind], options, kind)


OPERATORS = {"text": TEXT, "number": NUMBER, "date": DATE}
FILTERED = ("string", "number", "date", "boolean", "any")
"""Value types of custom fields that can be filtered, in addition to those with options."""
BESIDE = {
    "contact": (
        Choice("category.name", "Category"),
        Choice("unsubscribed", "Unsubscribed", ("equals",), YES_NO, "flag"),
        Choice("createdBy.name", "Added by"),
        Choice("createdAt", "Added", DATE, kind="date"),
    ),
    "lead": (
        Choice("contact.name", "Contact"),
        Choice("contact.email", "E-mail"),
        Choice("contact.contactNumber", "Phone"),
        Choice("team.name", "Team"),
        Choice("productServices.name", "Product"),
        Choice("statusChangedAt", "In this status since", DATE, kind="date"),
        Choice("createdBy.name", "Added by"),
        Choice("createdAt", "Added", DATE, kind="date"),
    ),
}
"""Filters for the records of a panel, in addition to the company's fields."""
PLAIN = {
    "contact": (Choice("name", "Name"), Choice("email", "E-mail"), Choice("contactNumber", "Phone")),
    "lead": (
        Choice("status", "Status"),
        Choice("source", "Source"),
        Choice("value", "Value", NUMBER, kind="number"),
        Choice("notes", "Notes"),
    ),
}
"""The panel's own fields, with their default names."""
OF_PHONE = ("countryCode", "number")
"""Parts of the phone number, by which nobody filters alone."""


def record_choices(
    panel: str, definitions: Iterable[Definition], tags: Iterable[Option] = (), members: Iterable[Option] = ()
) -> list[Choice]:
    """Return the filters for the records of a panel, in lists and for segments.

    Tags and members are chosen by name if they are given, and else typed.
    """
    made = [
        choice_of(one)
        for one in definitions
        if not one["hide"] and not one["children"] and (one["valueType"] in FILTERED or one["options"])
    ]
    own = {one.name: one for one in made}
    first = [own.pop(one.name, one) for one in PLAIN[panel]]
    found = [*first, *(one for name, one in own.items() if name not in OF_PHONE)]
    pairs = tuple((one.value, one.label) for one in tags)
    found.append(Choice("tags", "Tag", ONE_OF, pairs) if pairs else Choice("tags.name", "Tag"))
    if panel == "lead":
        pairs = tuple((one.value, one.label) for one in members)
        found.append(
            Choice("teamMember", "Assigned to", ONE_OF, pairs) if pairs else Choice("teamMember.name", "Assigned to")
        )
    return [*found, *BESIDE[panel]]


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
        definition=one,
        editable=form_field(one) is not None,
    )
