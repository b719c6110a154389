"""Forms and columns built from a company's own fields, as GET custom-field returns them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from core.text.company_names import names_company
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.field_values import field_values, reference_kind
from core.web.filters import DATE, KNOWN, NUMBER, ONE_OF, TEXT, YES_NO, Choice
from core.web.forms import Field, Option, texts_of
from core.web.lists import Column

if TYPE_CHECKING:
    from core.web.pages import Page

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
    "file": "select",
}
"""Field type of the API -> kind of a form's field."""
Definition = Values


def fields_query(panel: str) -> JsonObject:
    """Return the parameters that list the panel's fields in their order."""
    return {"filters": {"panel": panel}, "sortBy": "order", "sortOrder": "asc", "p": "1", "n": "200"}


def shown_fields(definitions: Iterable[Definition], placed: Container[str] | None = None) -> list[Definition]:
    """Return the fields that people see, without those that the company hides.

    `placed` has the system fields that the page places itself, without it all of them.
    """
    return [
        definition
        for definition in definitions
        if not definition["hide"]
        and not (definition["isSystem"] and (placed is None or definition["uniqueFieldID"] in placed))
    ]


def company_definition(definitions: Iterable[Definition]) -> Definition | None:
    """Return the definition of the text field with the name of a contact's organization, if there is one."""
    return next(
        (
            definition
            for definition in definitions
            if not definition["isSystem"]
            and definition["fieldType"] == "text"
            and definition["valueType"] in ("string", "any")
            and names_company(str(definition["name"]), definition["uniqueFieldID"])
        ),
        None,
    )


def form_field(definition: Definition, zone: str = "UTC") -> Field | None:
    """Make the form's field of a definition, or None for a type that no plain form can hold (records with parts).

    Times are shown and typed in `zone`. `record_fields` adds the members or files to choose from.
    """
    kind = form_kind(definition)
    if not kind or definition["onlyShowTable"]:
        return None
    return Field(
        definition["uniqueFieldID"],
        str(definition["name"]),
        kind,
        required=definition["required"],
        help_text=definition["helper"] or "",
        placeholder=definition["placeholder"] or "",
        options=[
            Option(str(option["value"]), option["label"] or str(option["value"])) for option in definition["options"]
        ],
        initial=definition["defaultValue"],
        zone=zone,
        any_type=definition["valueType"] == "any",
    )


def form_kind(definition: Definition) -> str:
    """Return the kind of the form's field for a definition; "" for records with parts, which no form can hold."""
    field_type, value_type = definition["fieldType"], definition["valueType"]
    if definition["children"] or value_type == "object":
        return ""
    if value_type == "array":
        return "checks" if field_type in ("checkbox", "multi-select", "file") else "lines"
    if value_type == "member":
        return "checks" if field_type == "multi-select" else "select"
    return "switch" if field_type == "checkbox" else FIELD_KINDS.get(field_type, "")


def record_fields(page: Page, definitions: Iterable[Definition], values: Values | None = None) -> list[Field]:
    """Return the form's fields of definitions, with the members and files that they are chosen from.

    `values` are the record's: what it refers to is offered even if it is not among the first.
    """
    definitions = list(definitions)
    pairs = [(definition, field) for definition in definitions if (field := form_field(definition, page.zone_name))]
    referring = [(definition, field) for definition, field in pairs if reference_kind(definition)]
    if not referring:
        return [field for _, field in pairs]
    names = field_values(page, [definition for definition, _ in referring], [values or {}]).names
    offered: dict[str, list[Option]] = {}
    for definition, field in referring:
        kind = reference_kind(definition)
        if kind not in offered:
            offered[kind] = _record_options(page, kind)
        listed = {option.value for option in offered[kind]}
        value = (values or {}).get(field.name)
        beyond = [id for id in texts_of(value) if id in names and id not in listed]
        field.options = [*offered[kind], *(Option(id, names[id]) for id in beyond)]
        if not offered[kind]:
            field.help_text = f"{field.help_text} {NONE_YET[kind]}".strip()
    return [field for _, field in pairs]


NONE_YET = {
    "file": gettext_lazy("No files yet. Upload one under Files."),
    "member": gettext_lazy("No members to choose from."),
}


def _record_options(page: Page, kind: str) -> list[Option]:
    """Return the members by name, or the newest files."""
    if kind == "member":
        return page.options_of("member", fields="name,email", filters={"status": ["owner", "accepted"]})
    return page.options_of("file", sortBy="createdAt", sortOrder="desc")


def form_values(definitions: Iterable[Definition], form_data: Values) -> JsonObject:
    """Return the record's values by the names of its form: None, and not the default, for missing ones."""
    return {**{definition["uniqueFieldID"]: None for definition in definitions}, **form_data}


def status_labels(definitions: Iterable[Definition]) -> dict[str, str]:
    """Return the labels of the statuses of leads."""
    options = (entry["options"] for entry in definitions if entry["isSystem"] and entry["uniqueFieldID"] == "status")
    return {entry["value"]: entry["label"] or entry["value"] for entry in next(options, ())}


def choice_of(definition: Definition) -> Choice:
    """Return how people filter by a field."""
    name, label = definition["uniqueFieldID"], str(definition["name"])
    options = tuple((str(option["value"]), option["label"] or str(option["value"])) for option in definition["options"])
    kind = definition["valueType"] if definition["valueType"] in ("number", "date") else "text"
    if definition["valueType"] == "boolean":
        return Choice(name, label, ("equals", "notEquals", *KNOWN), YES_NO, "flag")
    return Choice(name, label, ONE_OF if options else OPERATORS[kind], options, kind)


OPERATORS = {"text": TEXT, "number": NUMBER, "date": DATE}
FILTERED = ("string", "number", "date", "boolean", "any")
"""Value types of custom fields that can be filtered, in addition to those with options."""
STAGE_KINDS = (("open", gettext_lazy("Open")), ("won", gettext_lazy("Won")), ("lost", gettext_lazy("Lost")))
BESIDE = {
    "contact": (
        Choice("category.name", gettext_lazy("Category")),
        Choice("organization.name", gettext_lazy("Organization")),
        Choice("owner.name", gettext_lazy("Owner")),
        Choice("activity.at", gettext_lazy("Activity"), DATE, kind="date"),
        Choice("emails.sentAt", gettext_lazy("Email sent"), DATE, kind="date"),
        Choice("emails.openedAt", gettext_lazy("Email opened"), DATE, kind="date"),
        Choice("unsubscribed", gettext_lazy("Unsubscribed"), ("equals",), YES_NO, "flag"),
        Choice("createdBy.name", gettext_lazy("Added by")),
        Choice("createdAt", gettext_lazy("Added"), DATE, kind="date"),
    ),
    "lead": (
        Choice("contact.name", gettext_lazy("Contact")),
        Choice("contact.email", gettext_lazy("Email")),
        Choice("contact.contactNumber", gettext_lazy("Phone")),
        Choice("organization.name", gettext_lazy("Organization")),
        Choice("team.name", gettext_lazy("Team")),
        Choice("pipeline.name", gettext_lazy("Pipeline")),
        Choice("stage.name", gettext_lazy("Stage")),
        Choice("stage.kind", gettext_lazy("Outcome"), ONE_OF, STAGE_KINDS),
        Choice("lostReason.name", gettext_lazy("Reason for loss")),
        Choice("expectedCloseAt", gettext_lazy("Expected close"), DATE, kind="date"),
        Choice("productServices.name", gettext_lazy("Product")),
        Choice("statusChangedAt", gettext_lazy("In stage since"), DATE, kind="date"),
        Choice("createdBy.name", gettext_lazy("Added by")),
        Choice("createdAt", gettext_lazy("Added"), DATE, kind="date"),
    ),
    "organization": (
        Choice("owner.name", gettext_lazy("Owner")),
        Choice("createdBy.name", gettext_lazy("Added by")),
        Choice("createdAt", gettext_lazy("Added"), DATE, kind="date"),
    ),
}
"""Filters for the records of a panel, in addition to the company's fields."""
PLAIN = {
    "contact": (
        Choice("name", gettext_lazy("Name")),
        Choice("email", gettext_lazy("Email")),
        Choice("contactNumber", gettext_lazy("Phone")),
    ),
    "lead": (
        Choice("status", gettext_lazy("Status")),
        Choice("source", gettext_lazy("Source")),
        Choice("value", gettext_lazy("Value"), NUMBER, kind="number"),
        Choice("notes", gettext_lazy("Notes")),
    ),
    "organization": (Choice("name", gettext_lazy("Name")), Choice("domain", gettext_lazy("Domain"))),
}
"""The panel's own fields, with their default names."""
OF_PHONE = ("countryCode", "number")
"""Parts of the phone number that are no filters of their own."""


def record_choices(
    panel: str,
    definitions: Iterable[Definition],
    tags: Iterable[Option] = (),
    members: Iterable[Option] = (),
    categories: Iterable[Option] = (),
    linked: Mapping[str, Iterable[Option]] | None = None,
) -> list[Choice]:
    """Return the filters for the records of a panel, in lists and for segments.

    Tags, members, categories and `linked` records, which are given by the name of their filter, are chosen by name if
    there are any, and else typed.
    """
    field_choices = [
        choice_of(entry)
        for entry in definitions
        if not entry["hide"] and not entry["children"] and (entry["valueType"] in FILTERED or entry["options"])
    ]
    own = {entry.name: entry for entry in field_choices}
    first = [own.pop(entry.name, entry) for entry in PLAIN[panel]]
    choices = [*first, *(entry for name, entry in own.items() if name not in OF_PHONE)]
    choices.append(choice_of_named_records(Choice("tags.name", gettext("Tag"), holds_several=True), tags))
    members = tuple(members)
    if panel == "lead":
        choices.append(choice_of_named_records(Choice("teamMember.name", gettext("Assigned to")), members))
    records = {"category.name": categories, "owner.name": members, "createdBy.name": members, **(linked or {})}
    return [*choices, *(choice_of_named_records(choice, records.get(choice.name, ())) for choice in BESIDE[panel])]


def choice_of_named_records(choice: Choice, records: Iterable[Option]) -> Choice:
    """Return a choice of the records in place of one of their names, if there are any."""
    pairs = tuple((record.value, _of_group(record)) for record in records)
    if not pairs:
        return choice
    return replace(choice, name=choice.name.removesuffix(".name"), operators=ONE_OF, options=pairs)


def _of_group(record: Option) -> str:
    """Return the label with its group, because another group may have the same one."""
    return f"{record.group}: {record.label}" if record.group else record.label


UNSORTED = ("array", "object", "file")
"""Value types that lists are not sorted by."""


def column_of(definition: Definition) -> Column:
    """Return the column of a company's own field."""
    name = definition["uniqueFieldID"]
    return Column(
        name,
        definition["name"],
        "" if definition["valueType"] in UNSORTED or definition["children"] else name,
        custom=True,
        definition=definition,
        editable=form_field(definition) is not None,
    )
