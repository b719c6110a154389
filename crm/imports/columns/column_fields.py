"""Make custom fields for the columns of a file."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import shorten
from core.types import JsonObject, Values
from crm.custom_fields.services import create_field
from crm.field_types import FIELD_TYPES
from crm.imports.columns.joined import further_columns
from crm.imports.columns.mapping import invalid_mapping, is_new, refuse_new_fields
from crm.imports.models import Import
from crm.imports.types.base import NEW_FIELD
from crm.records.models import CustomField

MAX_NAME = 200


def field_name(header: str) -> str:
    """Return the name of the field for a column, whose header may be longer than a name."""
    return header[:MAX_NAME].strip()


class ColumnFields:
    """The fields of a panel, to find or make those of columns."""

    def __init__(self, panel: str, used: set[str]) -> None:
        self.panel = panel
        self._used = used
        """Keys that other columns feed."""
        self._fields = list(CustomField.objects.filter(panel=panel))

    def find(self, name: str, types: Sequence[str]) -> str | None:
        """Return the key of the unused custom field with this name and one of these types."""
        for field in self._fields:
            named = field.name.casefold() == field_name(name).casefold() and not field.is_system
            if named and field.field_type in types and field.unique_field_id not in self._used:
                return str(field.unique_field_id)
        return None

    def exists(self, key: str) -> bool:
        return any(field.unique_field_id == key for field in self._fields)

    def has(self, name: str) -> bool:
        """Return whether a field, also one of the system, has this name."""
        return any(field.name.casefold() == name.casefold() for field in self._fields)

    def use(self, key: str) -> str:
        self._used.add(key)
        return key

    def make(self, name: str, values: Values, actor_id: str) -> str:
        """Create a field, with a number after its name if another one has that. Return its key."""
        taken = {field.name.casefold() for field in self._fields}
        free, number = field_name(name), 2
        while free.casefold() in taken:
            free, number = f"{name[: MAX_NAME - 4]} {number}", number + 1
        custom_field = create_field(actor_id=actor_id, values={**values, "name": free, "panel": self.panel})
        self._fields.append(custom_field)
        return custom_field.unique_field_id


def field_definition(job: Import, header: str, field_type: str | None = None) -> JsonObject:
    """Return the attributes of the field for a column: its own, or those of a type that was chosen."""
    by_header = dict(zip(job.headers, job.columns, strict=False))
    fact = by_header.get(header) or {"fieldType": "text", "valueType": "string", "options": []}
    if field_type not in (None, fact["fieldType"]):
        return {"field_type": field_type, "value_type": FIELD_TYPES[field_type].value_types[0]}
    options = [{"label": text} for text in fact["options"]]
    return {"field_type": fact["fieldType"], "value_type": fact["valueType"], "options": options}


def make_fields(job: Import) -> None:
    """Find or create the custom fields that an import needs when it starts, in the caller's transaction.

    These are the new ones of its mapping, which names them from then on, and those for further values. Raises
    InvalidMapping_400 if a field is missing and the member may not create one, and PlanLimitExceeded_403.
    """
    _make_new(job)
    keep_further_values(job)
    # Starting an import accepts its mapping.
    job.detected = {**job.detected, "isProposed": False}


def _make_new(job: Import) -> None:
    new_headers = [header for header in job.headers if is_new(job.column_mapping.get(header, ""))]
    if not new_headers:
        return
    fields = ColumnFields(job.import_type, set(job.column_mapping.values()))
    mapping = dict(job.column_mapping)
    for header in new_headers:
        values = field_definition(job, header, mapping[header].removeprefix(NEW_FIELD) or None)
        key = fields.find(header, (values["field_type"],))
        if key is None:
            actor_id = job.updated_by_id or job.created_by_id
            refuse_new_fields({header: NEW_FIELD}, may_create=job.may_create_fields and actor_id is not None)
            key = fields.make(header, values, actor_id or "")
        mapping[header] = fields.use(key)
    job.column_mapping = mapping


def keep_further_values(job: Import) -> None:
    """Find or create the custom fields for the further values of columns that feed one field with others.

    Raises InvalidMapping_400 if a field is missing and the member may not create one, and PlanLimitExceeded_403.
    """
    field_types = further_columns(job)
    if not field_types:
        return
    fields = ColumnFields(job.import_type, set(job.column_mapping.values()))
    kept: dict[str, str] = {}
    for header, field_type in field_types.items():
        key = job.kept_columns.get(header)
        if key is None or not fields.exists(key):
            key = fields.find(header, (field_type, "text"))
        if key is None:
            key = _make_kept(fields, job, header, field_type)
        kept[header] = fields.use(key)
    job.kept_columns = {**job.kept_columns, **kept}


def _make_kept(fields: ColumnFields, job: Import, header: str, field_type: str) -> str:
    actor_id = job.updated_by_id or job.created_by_id
    if not job.may_create_fields or actor_id is None:
        raise invalid_mapping(
            f"further values of the column {shorten(header, 60)!r} need a custom field, and your role lacks the"
            " permission custom-field.POST; leave the column out"
        )
    return fields.make(header, {"field_type": field_type}, actor_id)
