"""Map columns of an import to new custom fields."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from core.errors import NamedError, shorten
from core.types import Values
from crm.imports.columns.column_fields import ColumnFields, field_definition
from crm.imports.columns.formats import detect
from crm.imports.columns.mapping import invalid_mapping
from crm.imports.models import Import
from crm.imports.services import FAILED, PAUSED, find_import
from crm.imports.types import IMPORT_TYPES


@transaction.atomic
def add_fields(*, import_id: str, import_type: str, member_id: str, columns: Sequence[Values]) -> Import:
    """Map columns of a paused or failed import to custom fields of their names, which are made where they are missing.

    `columns`: column, and optionally name and field_type. A name that was not given gets a number if another field has
    it. Raises ImportNotFound_400, InvalidImportStatus_400,
    InvalidMapping_400, CustomFieldNameAlreadyExists_400, PlanLimitExceeded_403.
    """
    existing = find_import(import_id, import_type)
    job = Import.objects.select_for_update(of=("self",)).get(pk=existing.pk)
    if job.status not in (PAUSED, FAILED) or job.header_row is None:
        raise NamedError(
            "InvalidImportStatus_400",
            f"an import that is {job.status} cannot be changed; it must be paused",
            field="id",
        )
    named: set[str] = set()
    for column in columns:
        if column["column"] in named:
            raise invalid_mapping(f"the column {shorten(column['column'], 60)!r} is named twice; name each column once")
        named.add(column["column"])
    fields = ColumnFields(import_type, {key for header, key in job.column_mapping.items() if header not in named})
    for column in columns:
        header = column["column"]
        if header not in job.headers:
            raise invalid_mapping(f"the file has no column {shorten(header, 60)!r}")
        values = field_definition(job, header, column.get("field_type"))
        name = column.get("name") or header
        key = fields.find(name, (values["field_type"],))
        if key is None and column.get("name") and fields.has(name):
            raise NamedError(
                "CustomFieldNameAlreadyExists_400",
                f"another field is called {shorten(name, 60)!r}; choose another name for the column"
                f" {shorten(header, 60)!r}",
                field="columns",
            )
        key = key or fields.make(name, values, member_id)
        job.column_mapping[header] = fields.use(key)
    job.detected = {**job.detected, "isProposed": False}
    detect(job, IMPORT_TYPES[import_type].schema.load())
    job.updated_by_id = member_id
    job.save(update_fields=["column_mapping", "detected", "updated_by", "updated_at"])
    return job
