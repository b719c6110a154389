"""Use cases of custom fields: the system fields and the company's own (contract section 2, CustomField)."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import groupby
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import F

from core.access import reserve_quota
from core.access.own_records import require_all_records
from core.errors import NamedError, shorten
from core.ids import new_id
from core.text.names import to_camel_case
from core.types import Values
from crm.custom_fields.added_fields import seed_system_fields
from crm.custom_fields.conversion import Check, UnfitValue, check_values, refuse_unfit
from crm.custom_fields.conversion_jobs import (
    DEFINITION,
    INLINE_LIMIT,
    conversion_of,
    convert_inline,
    start_conversion,
    unfinished_job,
)
from crm.custom_fields.removal_jobs import remove_fields
from crm.custom_fields.system_fields import SYSTEM_FIELDS, check_options, may_change, system_options_changed
from crm.custom_fields.validation import check_definition, save_field
from crm.field_types import FIELD_TYPES
from crm.records.locks import lock_fields
from crm.records.models import CustomField
from crm.records.ordering import reorder
from crm.records.schema import BAD_CUSTOM

__all__ = [
    "RESERVED_KEYS",
    "SYSTEM_FIELDS",
    "create_field",
    "delete_fields",
    "reorder_fields",
    "seed_system_fields",
    "update_fields",
]

MAX_CHANGES = 500
NOT_FOUND = "CustomFieldNotFound_400"
_ALL = {"_id", "tags", "importId", "createdBy", "updatedBy", "createdAt", "updatedAt", "isDeleted", "formData"}
_CATEGORY = {"category", "contactCategory", "contactcategories"}
_OF_CONTACTS = _CATEGORY | {"contactNumber", "unsubscribed", "unsubscribedAt", "repliedAt", "organization", "owner"}
_OF_LEADS = _CATEGORY | {
    *("contact", "productServices", "team", "teamMember", "owner", "organization"),
    *("pipeline", "stage", "lostReason", "expectedCloseAt"),
    *("name", "email", "countryCode", "number"),
}
_FURTHER: dict[str, set[str]] = {
    CustomField.Panel.CONTACT: _OF_CONTACTS,
    CustomField.Panel.LEAD: _OF_LEADS,
    CustomField.Panel.ORGANIZATION: {"owner"},
}
RESERVED_KEYS: dict[str, frozenset[str]] = {
    panel: frozenset({field["unique_field_id"] for field in fields} | _ALL | _FURTHER.get(panel, set()))
    for panel, fields in SYSTEM_FIELDS.items()
}
"""Panel -> keys that its records and their lists use themselves."""


class FieldChange(NamedTuple):
    """Changes of a field's attributes (snake_case). `drop_invalid` removes values that do not fit the new type."""

    id: str
    values: Values
    drop_invalid: bool = False


@transaction.atomic
def create_field(*, actor_id: str, values: Values) -> CustomField:
    """Create a field from its attributes in snake_case.

    Raises InvalidPanel_400, CustomFieldNameAlreadyExists_400 and PlanLimitExceeded_403. Raises InvalidInput_400 for
    types that cannot be combined, and for bad options, children or a bad default.
    """
    panel = values.get("panel", CustomField.Panel.CONTACT)
    if panel not in CustomField.Panel.values:
        raise NamedError(
            "InvalidPanel_400",
            f"one of {', '.join(CustomField.Panel.values)}, not {shorten(panel, 40)!r}",
            field="panel",
        )
    field = CustomField(id=new_id(), created_by_id=actor_id, updated_by_id=actor_id)
    for name, value in values.items():
        setattr(field, name, value)
    field.value_type = values.get("value_type") or FIELD_TYPES[field.field_type].value_types[0]
    field.unique_field_id = values.get("unique_field_id") or field.pk
    if field.unique_field_id in RESERVED_KEYS[field.panel]:
        raise NamedError(
            "InvalidInput_400", f"enter another key; {field.unique_field_id} is taken", field="uniqueFieldID"
        )
    check_definition(field)
    reserve_quota("custom-field")
    save_field(field)
    return field


@transaction.atomic
def update_fields(*, actor_id: str, changes: Sequence[FieldChange], numbered: bool = False) -> None:
    """Change fields, all of them or none, and convert the values of records to new types.

    A field's key and panel stay. If more than 1,000 records have values, a job converts them, and the field keeps its
    old definition until the job is done. With `numbered`, problems name the index of their change.

    Raises CustomFieldNotFound_400, InvalidPanel_400, InvalidInput_400, InvalidSectionId_400 and
    CustomFieldNameAlreadyExists_400. Raises InvalidSystemField_400 for a fixed attribute of a system field, and
    InvalidCustomFieldValue_400 for values that cannot be converted.
    """
    # Without a lock: reading all values of a field may take minutes. Few are checked again under the lock.
    checks = _apply_changes(changes, numbered, _check_change)
    ids = [change.id for change in changes]
    duplicate = next((index for index, id in enumerate(ids) if id in ids[:index]), None)
    if duplicate is not None:
        raise NamedError("InvalidInput_400", "stands for an earlier field already", field=f"fields.{duplicate}._id")
    # Names and texts are no definition, and need not make the writers of values wait.
    if any(set(DEFINITION) & change.values.keys() for change in changes):
        require_all_records()
        lock_fields()
    rows = {row.pk: row for row in _lock_fields(ids)}
    renamed = [
        change.id for change in changes if change.values.get("name", rows[change.id].name) != rows[change.id].name
    ]
    if len(changes) > 1:
        CustomField.objects.filter(pk__in=renamed).update(name=F("id"))  # so that fields can swap their names
    _apply_changes(
        changes, numbered, lambda change: _apply(rows[change.id], change, checks[ids.index(change.id)], actor_id)
    )


def _lock_fields(ids: Sequence[str]) -> list[CustomField]:
    """Lock the fields against other changes, but not against writers of values."""
    rows = list(CustomField.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=ids).order_by("pk"))
    if len(rows) < len(set(ids)):
        raise _missing()
    return rows


def _missing() -> NamedError:
    return NamedError(NOT_FOUND, "there is no such custom field in this company", field="id")


def _apply_changes(changes: Sequence[FieldChange], numbered: bool, do: Any) -> list[Any]:
    """Call `do` for each change. Numbered errors are collected and raised together, under the name of the first."""
    outcomes, errors = [], []
    for index, change in enumerate(changes):
        try:
            # A savepoint per field, so that all errors of a body are reported at once.
            with transaction.atomic():
                outcomes.append(do(change))
        except NamedError as error:
            if not numbered:
                raise
            # As the body names them.
            names = [f"fields.{index}.{'_id' if field == 'id' else field}" for field in error.fields]
            errors.append(
                NamedError(error.name, error.reason, field=names or f"fields.{index}", operation=error.operation)
            )
    if errors:
        fields = [field for error in errors for field in error.errors]
        raise NamedError(errors[0].name, "; ".join(error.detail for error in errors), errors=fields)
    return outcomes


def _check_change(change: FieldChange) -> Check:
    """Check the change and the values, which may be many, before any lock makes others wait."""
    before = CustomField.objects.filter(pk=change.id).first()
    if before is None:
        raise _missing()
    after = _with_change(before, change)
    _refuse_converting(before, after)
    conversion = None if before.is_system else conversion_of(before, after)
    if conversion is None:
        return Check()
    check = check_values(conversion)
    if not change.drop_invalid:
        refuse_unfit(conversion, check)
    return check


def _with_change(before: CustomField, change: FieldChange) -> CustomField:
    """Return a copy of the field with the change applied."""
    changed = {name: value for name, value in change.values.items() if value != getattr(before, name)}
    _refuse_fixed(before, changed)
    after = copy(before)
    for name, value in changed.items():
        setattr(after, name, value)
    if not after.is_system:
        if "value_type" not in change.values and after.value_type not in FIELD_TYPES[after.field_type].value_types:
            after.value_type = FIELD_TYPES[after.field_type].value_types[0]
        check_definition(after)
    return after


def _refuse_fixed(field: CustomField, changed: Values) -> None:
    if "panel" in changed:
        raise NamedError("InvalidPanel_400", f"the field belongs to {field.panel} and cannot move", field="panel")
    if "unique_field_id" in changed:
        raise NamedError("InvalidInput_400", "leave it as it is; a key never changes", field="uniqueFieldID")
    allowed = may_change(field) if field.is_system else ()
    refused = [name for name in changed if field.is_system and name not in allowed]
    if refused:
        raise NamedError(
            "InvalidSystemField_400",
            f"of this system field only {', '.join(map(to_camel_case, allowed))} can change",
            field=[to_camel_case(name) for name in refused],
        )


def _apply(before: CustomField, change: FieldChange, check: Check, actor_id: str) -> None:
    """Change a locked field, and convert its values if they are few."""
    after = _with_change(before, change)
    meaning = _refuse_converting(before, after)
    if meaning:
        after.job = None
    if before.is_system:
        if meaning:
            check_options(after, before.options)
    elif conversion := conversion_of(before, after):
        if check.total <= INLINE_LIMIT:
            check = check_values(conversion)
            if not change.drop_invalid:
                refuse_unfit(conversion, check)
            _convert(before, after, check, actor_id, change.drop_invalid)
        else:
            after.job = start_conversion(before, after, check, actor_id=actor_id, drop_invalid=change.drop_invalid)
            for name in DEFINITION:
                setattr(after, name, getattr(before, name))
    after.updated_by_id = actor_id
    save_field(after)
    if before.is_system and meaning:
        system_options_changed.send()


def _refuse_converting(before: CustomField, after: CustomField) -> list[str]:
    """Refuse to change a definition while a job converts the values. Return the names of the changed attributes."""
    meaning = [name for name in DEFINITION if getattr(after, name) != getattr(before, name)]
    if meaning and unfinished_job(before):
        raise NamedError(
            "InvalidInput_400", "wait for the job that converts the values of this field", field=meaning[0]
        )
    return meaning


def _convert(before: CustomField, after: CustomField, check: Check, actor_id: str, drop_invalid: bool) -> None:
    try:
        convert_inline(before, after, check, actor_id=actor_id, drop_invalid=drop_invalid)
    except UnfitValue as error:
        raise NamedError(BAD_CUSTOM, str(error), field=before.unique_field_id) from None


@transaction.atomic
def reorder_fields(*, actor_id: str, ids: Sequence[str]) -> list[str]:
    """Reorder fields of one panel, including system fields. Returns all fields of the panel.

    Fields that are not named follow in their present order. Raises InvalidInput_400 (none named),
    CustomFieldNotFound_400, InvalidPanel_400 (of several panels).
    """
    if not ids:
        raise NamedError("InvalidInput_400", "name the fields of a panel in their new order", field="ids")
    return reorder(CustomField, ids, actor_id=actor_id, missing=NOT_FOUND)


@transaction.atomic
def delete_fields(*, actor_id: str, ids: Sequence[str]) -> int:
    """Delete the fields with their values on all records, including deleted ones. Returns the number of fields.

    Where more than 1,000 records have values, the fields disappear at once, and their keys are free again when a job
    has removed the values. Raises CustomFieldNotFound_400 when none of the ids is one of the company's,
    InvalidSystemField_400 when one is a system field.
    """
    require_all_records()
    lock_fields()
    fields = list(CustomField.objects.select_for_update(of=("self",)).filter(pk__in=ids).order_by("panel", "pk"))
    if not fields:
        raise NamedError(NOT_FOUND, "none of them is a custom field of this company", field="ids")
    system = next((field for field in fields if field.is_system), None)
    if system is not None:
        raise NamedError(
            "InvalidSystemField_400", f"{system.name} is a system field and stays; hide it instead", field="ids"
        )
    for _, own in groupby(fields, key=lambda field: field.panel):
        remove_fields(list(own), actor_id=actor_id)
    return len(fields)
