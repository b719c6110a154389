"""System fields that a company lacks: those of a new company, and those that a later version adds."""

from __future__ import annotations

import logging
from collections.abc import Container, Iterable, Sequence
from functools import partial
from typing import Any

from django.db import connection
from django.db.migrations import RunPython
from django.db.models import QuerySet

from core.errors import NamedError
from core.ids import new_id
from core.tenancy import company_id
from crm.custom_fields.conversion_jobs import UNFINISHED
from crm.custom_fields.system_fields import SYSTEM_FIELDS, system_options_changed
from crm.records.models import CustomField
from crm.records.types import kind_of

logger = logging.getLogger(__name__)

MAX_NAME = 200
MAX_KEY = 64
RENAME_KEY = """
UPDATE {table} SET custom = (custom - %(old)s) || jsonb_build_object(%(new)s::text, custom -> %(old)s)
WHERE company_id = %(company)s AND custom ? %(old)s
"""


def add_system_field(panel: str, key: str) -> RunPython:
    """Return the operation of a migration that gives every company this system field of SYSTEM_FIELDS.

    A company's own field that has its name or key keeps its values, and gets the next free number behind both.
    """
    return RunPython(partial(_add_to_companies, panel=panel, key=key), partial(_remove, panel=panel, key=key))


def free_keys(panel: str, keys: Sequence[str]) -> RunPython:
    """Return the operation of a migration that gives own fields with these keys others, which records use from then on.

    The fields keep their values, and get the next free number behind their keys.
    """
    return RunPython(partial(_free_keys, panel=panel, keys=keys), RunPython.noop)


def seed_system_fields() -> None:
    """Create the missing system fields of the active company. Its own fields that have their names or keys get others.

    Raises CustomFieldNameAlreadyExists_400 while a job works on the values of such a field.
    """
    keys = [(panel, values["unique_field_id"]) for panel, fields in SYSTEM_FIELDS.items() for values in fields]
    create_system_fields(CustomField.every.all(), company_id(), keys)
    system_options_changed.send()


def create_system_fields(fields: QuerySet[CustomField], company: str, wanted: Iterable[tuple[str, str]]) -> None:
    """Create those of the wanted system fields, by panel and key, that the company lacks.

    `fields` are all fields, deleted ones included. Raises CustomFieldNameAlreadyExists_400 while a job works on the
    values of a field that has the key.
    """
    present = list(fields.filter(company_id=company))
    existing = {(field.panel, field.unique_field_id) for field in present if field.is_system}
    missing = []
    for panel, key in wanted:
        if (panel, key) in existing:
            continue
        order, values = _definition(panel, key)
        same_panel = [field for field in present if field.panel == panel]
        for field in same_panel:
            if field.unique_field_id == key:
                _change_key(fields, field, same_panel)
            if field.name == values["name"] and field.deleted_at is None:
                _change_name(fields, field, same_panel)
        missing.append(
            fields.model(id=new_id(), company_id=company, panel=panel, is_system=True, order=order, **values)
        )
    fields.bulk_create(missing)


def _definition(panel: str, key: str) -> tuple[int, dict[str, Any]]:
    """Return the place of a system field among those of its panel, and its attributes."""
    return next(
        (order, values)
        for order, values in enumerate(SYSTEM_FIELDS[panel], start=1)
        if values["unique_field_id"] == key
    )


def _change_key(fields: QuerySet[CustomField], field: CustomField, same_panel: Sequence[CustomField]) -> None:
    """Give an own field another key, in the values of its records too."""
    old = field.unique_field_id
    if field.job is not None and field.job.status in UNFINISHED:
        raise NamedError(
            "CustomFieldNameAlreadyExists_400",
            f"company {field.company_id} has an own field with the key {old!r}; "
            f"wait until the job {field.job_id} has finished its values",
            field="uniqueFieldID",
        )
    keys = {other.unique_field_id for other in same_panel}
    keys.update(values["unique_field_id"] for values in SYSTEM_FIELDS[field.panel])
    field.unique_field_id = _free_name(old, "", MAX_KEY, keys)
    fields.filter(pk=field.pk).update(unique_field_id=field.unique_field_id)
    values = {"old": old, "new": field.unique_field_id, "company": field.company_id}
    with connection.cursor() as cursor:
        cursor.execute(RENAME_KEY.format(table=kind_of(field.panel).table), values)
        logger.warning(
            "company %s: the key of the own field %s is %s now, instead of %s; records: %s",
            field.company_id,
            field.pk,
            field.unique_field_id,
            old,
            cursor.rowcount,
        )


def _change_name(fields: QuerySet[CustomField], field: CustomField, same_panel: Sequence[CustomField]) -> None:
    names = {other.name for other in same_panel if other.deleted_at is None}
    names.update(values["name"] for values in SYSTEM_FIELDS[field.panel])
    field.name = _free_name(field.name, " ", MAX_NAME, names)
    fields.filter(pk=field.pk).update(name=field.name)


def _free_name(text: str, separator: str, length: int, taken: Container[str]) -> str:
    """Return the text with the first number from 2 on that makes it free."""
    number = 2
    while True:
        ending = f"{separator}{number}"
        numbered = text[: length - len(ending)] + ending
        if numbered not in taken:
            return numbered
        number += 1


def _add_to_companies(apps: Any, schema_editor: Any, *, panel: str, key: str) -> None:
    fields = apps.get_model("crm", "CustomField").objects.all()
    for company in apps.get_model("accounts", "Company").objects.order_by("pk").values_list("pk", flat=True):
        create_system_fields(fields, company, [(panel, key)])
    _check_references(schema_editor)


def _remove(apps: Any, schema_editor: Any, *, panel: str, key: str) -> None:
    apps.get_model("crm", "CustomField").objects.filter(panel=panel, unique_field_id=key, is_system=True).delete()
    _check_references(schema_editor)


def _free_keys(apps: Any, schema_editor: Any, *, panel: str, keys: Sequence[str]) -> None:
    fields = apps.get_model("crm", "CustomField").objects.all()
    taken = fields.filter(panel=panel, unique_field_id__in=keys, is_system=False).order_by("pk")
    for field in taken:
        same_panel = list(fields.filter(company_id=field.company_id, panel=panel))
        _change_key(fields, field, same_panel)
    _check_references(schema_editor)


def _check_references(schema_editor: Any) -> None:
    """Check references now: later operations of the migration may change tables, which pending checks forbid."""
    schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    schema_editor.execute("SET CONSTRAINTS ALL DEFERRED")
