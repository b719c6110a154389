"""Custom fields: the seeded system fields and the company's own (contract section 2, CustomField)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError, connection, transaction

from core.access import take
from core.errors import Named, shorten
from core.ids import new_id
from crm.fields import FIELD_TYPES
from crm.models import CustomField
from crm.records import KINDS
from crm.services.field_definitions import check_definition


def options(*labels: str) -> list[dict[str, str]]:
    """Options whose values are their labels in lower case."""
    return [{"label": label, "description": "", "value": label.lower()} for label in labels]


SYSTEM_FIELDS: dict[str, tuple[dict[str, Any], ...]] = {
    CustomField.Panel.CONTACT: (
        {"unique_field_id": "name", "name": "Name", "field_type": "text", "value_type": "string"},
        {"unique_field_id": "email", "name": "Email", "field_type": "email", "value_type": "string", "required": True},
        {"unique_field_id": "countryCode", "name": "Country code", "field_type": "text", "value_type": "string", "required": True},
        {"unique_field_id": "number", "name": "Phone number", "field_type": "phone", "value_type": "string", "required": True},
    ),
    CustomField.Panel.LEAD: (
        {
            "unique_field_id": "status",
            "name": "Status",
            "field_type": "select",
            "value_type": "string",
            "required": True,
            "default_value": "new",
            "options": options("New", "Contacted", "Qualified", "Proposal", "Won", "Lost"),
        },
        {
            "unique_field_id": "source",
            "name": "Source",
            "field_type": "select",
            "value_type": "string",
            "options": options("Website", "Referral", "Import", "Event", "Outreach", "Other"),
        },
        {"unique_field_id": "value", "name": "Value", "field_type": "number", "value_type": "number"},
        {"unique_field_id": "notes", "name": "Notes", "field_type": "textarea", "value_type": "string"},
    ),
    CustomField.Panel.PRODUCT_SERVICE: (
        {"unique_field_id": "name", "name": "Name", "field_type": "text", "value_type": "string", "required": True},
        {
            "unique_field_id": "type",
            "name": "Type",
            "field_type": "select",
            "value_type": "string",
            "default_value": "product",
            "options": options("Product", "Service"),
        },
        {"unique_field_id": "description", "name": "Description", "field_type": "textarea", "value_type": "string"},
        {"unique_field_id": "category", "name": "Category", "field_type": "text", "value_type": "string"},
        {"unique_field_id": "sku", "name": "Article number", "field_type": "text", "value_type": "string"},
        {"unique_field_id": "price", "name": "Price", "field_type": "number", "value_type": "number"},
        {"unique_field_id": "currency", "name": "Currency", "field_type": "text", "value_type": "string"},
        {"unique_field_id": "unit", "name": "Unit", "field_type": "text", "value_type": "string"},
        {"unique_field_id": "isActive", "name": "Active", "field_type": "checkbox", "value_type": "boolean", "default_value": True},
    ),
}
"""What the records of each panel have; each is stored in a column of the record."""

FIXED_FOR_SYSTEM = ("description", "only_show_table", "default_value", "options", "children", "section")
_ALL = {"_id", "tags", "importId", "createdBy", "updatedBy", "createdAt", "updatedAt", "isDeleted", "formData"}
_OF_CONTACTS = {"contactNumber", "category", "contactCategory", "contactcategories", "unsubscribed", "unsubscribedAt"}
_OF_LEADS = {"contact", "productServices", "team", "teamMember", "name", "email", "countryCode", "number"}
RESERVED_KEYS: dict[str, frozenset[str]] = {
    panel: frozenset({field["unique_field_id"] for field in fields} | _ALL | more)
    for (panel, fields), more in zip(SYSTEM_FIELDS.items(), (_OF_CONTACTS, _OF_LEADS, set()), strict=True)
}
"""Panel -> what its records themselves and their lists mean by these names."""


def seed_system_fields() -> None:
    """The system fields of the active company, as far as they are missing."""
    CustomField.objects.bulk_create(
        [
            CustomField(panel=panel, is_system=True, order=order, **values)
            for panel, fields in SYSTEM_FIELDS.items()
            for order, values in enumerate(fields, start=1)
        ],
        ignore_conflicts=True,
    )


@transaction.atomic
def create_field(*, actor_id: str, values: Mapping[str, Any]) -> CustomField:
    """A new field from its attributes in snake_case.

    InvalidPanel_400, InvalidInput_400 (types that do not go together, bad options, children or default), CustomFieldNameAlreadyExists_400,
    PlanLimitExceeded_403.
    """
    panel = values.get("panel", CustomField.Panel.CONTACT)
    if panel not in CustomField.Panel.values:
        raise Named("InvalidPanel_400", f"panel: one of {', '.join(CustomField.Panel.values)}, not {shorten(panel, 40)!r}")
    field = CustomField(id=new_id(), created_by_id=actor_id, updated_by_id=actor_id)
    for name, value in values.items():
        setattr(field, name, value)
    field.value_type = values.get("value_type") or FIELD_TYPES[field.field_type].value_types[0]
    field.unique_field_id = values.get("unique_field_id") or field.pk
    if field.unique_field_id in RESERVED_KEYS[field.panel]:
        raise Named("InvalidInput_400", f"uniqueFieldID: {field.unique_field_id!r} is the name of a system value")
    check_definition(field)
    take("custom-field")
    _save(field)
    return field


@transaction.atomic
def update_field(*, id: str, actor_id: str, values: Mapping[str, Any]) -> CustomField:
    """Change a field's attributes in snake_case; its key, and what its values are once there are some, stay.

    CustomFieldNotFound_400, InvalidInput_400, InvalidSystemField_400 (what a system field cannot change), CustomFieldNameAlreadyExists_400.
    """
    field = CustomField.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if field is None:
        raise Named("CustomFieldNotFound_400", "id: there is no such custom field in this company")
    changed = {name: value for name, value in values.items() if value != getattr(field, name)}
    _check_changes(field, changed)
    for name, value in changed.items():
        setattr(field, name, value)
    field.updated_by_id = actor_id
    if not field.is_system:
        check_definition(field)
    _save(field)
    return field


def _check_changes(field: CustomField, changed: Mapping[str, Any]) -> None:
    if "panel" in changed:
        raise Named("InvalidPanel_400", f"panel: the field belongs to {field.panel} and cannot move")
    if "unique_field_id" in changed:
        raise Named("InvalidInput_400", "uniqueFieldID: is set once, when the field is made")
    types = [name for name in ("field_type", "value_type") if name in changed]
    if field.is_system:
        refused = [name for name in (*types, *FIXED_FOR_SYSTEM) if name in changed]
        if refused:
            raise Named(
                "InvalidSystemField_400",
                f"{', '.join(refused)}: of a system field only name, required, order, hide, placeholder and helper can change",
            )
    elif types and _has_values(field):
        raise Named(
            "InvalidInput_400", f"fieldType, valueType: {KINDS[field.panel].noun} have values of this field; make a new field instead"
        )


def _has_values(field: CustomField) -> bool:
    kind = KINDS[field.panel]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT EXISTS (SELECT FROM {kind.value_table} WHERE field_id = %s)"
            f" OR EXISTS (SELECT FROM {kind.table} WHERE company_id = current_setting('app.company') AND custom ? %s)",
            [field.pk, field.unique_field_id],
        )
        return bool(cursor.fetchone()[0])


def _save(field: CustomField) -> None:
    """Save, and say by name what is taken."""
    try:
        with transaction.atomic():
            field.save()
    except IntegrityError as error:
        if "customfield_name_unique" in str(error):
            raise Named(
                "CustomFieldNameAlreadyExists_400", f"name: another field of this panel is called {shorten(field.name, 60)!r}"
            ) from None
        if "customfield_key_unique" in str(error):
            raise Named(
                "CustomFieldNameAlreadyExists_400", f"uniqueFieldID: another field of this panel has the key {field.unique_field_id!r}"
            ) from None
        raise


@transaction.atomic
def delete_fields(*, ids: Sequence[str]) -> int:
    """Delete the fields with their values on all records, deleted ones too; returns how many fields there were.

    CustomFieldNotFound_400 when none of the ids is one of the company's, InvalidSystemField_400 when one is a system field.
    """
    fields = list(CustomField.objects.select_for_update(of=("self",)).filter(pk__in=ids).order_by("pk"))
    if not fields:
        raise Named("CustomFieldNotFound_400", "ids: none of them is a custom field of this company")
    system = next((field for field in fields if field.is_system), None)
    if system is not None:
        raise Named("InvalidSystemField_400", f"ids: {system.name} is a system field and stays; hide it instead")
    for kind in KINDS.values():
        own = [field for field in fields if field.panel == kind.panel]
        if not own:
            continue
        keys = [field.unique_field_id for field in own]
        with connection.cursor() as cursor:
            cursor.execute(
                f"UPDATE {kind.table} SET custom = custom - %s::text[]"
                " WHERE company_id = current_setting('app.company') AND custom ?| %s::text[]",
                [keys, keys],
            )
        kind.values.objects.filter(field_id__in=[field.pk for field in own])._raw_delete("default")
    found = [field.pk for field in fields]
    CustomField.objects.filter(pk__in=found).delete()
    return len(found)
