"""Changes in the entries of a timeline: the names of the fields, and the values in readable form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from accounts.models import Member
from core.ids import is_id
from core.text.folding import sort_text
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from crm.activities.models import LeadActivity
from crm.files.models import File
from crm.organizations.models import Organization
from crm.pipelines.models import LostReason, Pipeline, Stage
from crm.products.models import ProductService
from crm.records.models import CustomField
from crm.tags.models import ContactCategory, Tag
from crm.teams.models import Team

Kind = LeadActivity.Kind
Field = tuple[str, str]
"""The panel of a field, and its key in formData."""
WITH_CHANGES = (Kind.CHANGED, Kind.STATUS, Kind.ASSIGNED, Kind.IMPORTED)
REFERENCES: dict[str, type[Any]] = {
    "tags": Tag,
    "category": ContactCategory,
    "team": Team,
    "teamMember": Member,
    "organization": Organization,
    "owner": Member,
    "productServices": ProductService,
    "pipeline": Pipeline,
    "stage": Stage,
    "lostReason": LostReason,
}
"""Name in the API -> the records that it refers to, which people know by name."""
NAMES = {
    "contactNumber": gettext_lazy("Phone number"),
    "productServices": gettext_lazy("Products and services"),
    "teamMember": gettext_lazy("Team member"),
    "lostReason": gettext_lazy("Reason for loss"),
    "expectedCloseAt": gettext_lazy("Expected close"),
}
"""Names of values that are no fields and read badly as they are."""
SIDES = ("from", "to", "added", "removed")
MAX_TEXT = 500
"""Longer texts are cut; `data` has them whole."""


@dataclass(frozen=True, slots=True)
class References:
    """The fields of contacts, leads and organizations, and the names of records that changes refer to."""

    fields: Mapping[Field, Values]
    records: Mapping[str, str]

    def name(self, panel: str, key: str) -> str:
        """Return the name of the field with this key in the API."""
        definition = self.fields.get((panel, key))
        return definition["name"] if definition else NAMES.get(key) or key[:1].upper() + key[1:]

    def is_hidden(self, panel: str, key: str) -> bool:
        field = self.fields.get((panel, key))
        return bool(field and field["hide"])

    def words(self, panel: str, key: str, value: Any) -> Any:
        """Return the value with names for ids and labels for options."""
        if isinstance(value, list):
            return [self.words(panel, key, one) for one in value]
        if not isinstance(value, str):
            return value
        if value in self.records:
            return self.records[value]
        field = self.fields.get((panel, key))
        labels = {one.get("value"): one.get("label") for one in (field["options"] if field else ())}
        return labels.get(value) or (value if len(value) <= MAX_TEXT else value[: MAX_TEXT - 1] + "…")


def changes_of(row: Values) -> Mapping[str, Values]:
    """Return key -> from and to, of an activity with changes."""
    if row["kind"] not in WITH_CHANGES:
        return {}
    changes = row["details"].get("changes", {}) if row["kind"] == Kind.IMPORTED else row["details"]
    return {key: change for key, change in changes.items() if isinstance(change, Mapping)}


def panel_of(row: Values) -> str:
    """Return the panel of the record that the activity happened to."""
    if row["lead_id"]:
        return CustomField.Panel.LEAD
    return CustomField.Panel.ORGANIZATION if row["organization_id"] else CustomField.Panel.CONTACT


def known_in(rows: Iterable[Values]) -> References:
    """Read the records and fields in the rows' changes, by one statement for the fields and one for each kind of
    record."""
    changes = [(panel_of(row), key, change) for row in rows for key, change in changes_of(row).items()]
    keys = {key for _, key, _ in changes}
    if not keys:
        return References({}, {})
    columns = ("panel", "unique_field_id", "name", "hide", "options", "value_type", "field_type")
    panels = {panel for panel, *_ in changes}
    definitions = CustomField.objects.filter(panel__in=panels, unique_field_id__in=keys).values(*columns)
    fields = {(definition["panel"], definition["unique_field_id"]): definition for definition in definitions}
    ids_by_model: dict[type[Any], set[str]] = {}
    for panel, key, change in changes:
        field = fields.get((panel, key))
        model = (_referred_model(field) if field else None) or REFERENCES.get(key)
        if model is not None:
            ids_by_model.setdefault(model, set()).update(id for side in SIDES for id in _ids(change.get(side)))
    records: dict[str, str] = {}
    for model, ids in ids_by_model.items():  # at most one statement for each kind of record
        records |= dict(model._default_manager.filter(pk__in=ids).values_list("pk", "name")) if ids else {}
    return References(fields, records)


def _referred_model(field: Values) -> type[Any] | None:
    """Return the records whose ids a custom field holds."""
    if field["value_type"] == CustomField.ValueType.MEMBER:
        return Member
    holds_files = field["value_type"] == CustomField.ValueType.FILE or field["field_type"] == CustomField.FieldType.FILE
    return File if holds_files else None


def shown_changes(row: Values, lookup: References) -> list[JsonObject]:
    """Return the changes of an activity as text, by the names of the fields; hidden fields are omitted."""
    panel = panel_of(row)
    entries = []
    for key, change in changes_of(row).items():
        # The number as a whole changes with its parts.
        if lookup.is_hidden(panel, key) or (key == "contactNumber" and "number" in changes_of(row)):
            continue
        sides = {side: lookup.words(panel, key, change.get(side)) for side in SIDES}
        entries.append({"field": key, "name": lookup.name(panel, key), **sides})
    return sorted(entries, key=lambda entry: sort_text(str(entry["name"])))


def _ids(value: Any) -> list[str]:
    return [
        candidate
        for candidate in (value if isinstance(value, list) else [value])
        if isinstance(candidate, str) and is_id(candidate)
    ]
