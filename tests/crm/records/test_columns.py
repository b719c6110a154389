"""Every column of a record is written down once, in its kind's columns, unless all kinds have it."""

from __future__ import annotations

import pytest
from django.db.models import Field, GeneratedField

from crm.custom_fields.system_fields import SYSTEM_FIELDS
from crm.records.types import RECORD_TYPES

COMMON = {
    *("id", "company_id", "created_at", "updated_at", "created_by_id", "updated_by_id", "import_job_id"),
    *("custom", "is_deleted", "deleted_at", "merged_into_id", "erased_at"),
}
TYPES = {
    "CharField": "text",
    "TextField": "text",
    "DecimalField": "numeric",
    "DateTimeField": "timestamptz",
    "BooleanField": "boolean",
}


def own_columns(panel: str) -> dict[str, Field]:
    fields = RECORD_TYPES[panel].kind.model._meta.local_concrete_fields
    return {
        field.column: field for field in fields if field.column not in COMMON and not isinstance(field, GeneratedField)
    }


@pytest.mark.parametrize("panel", ["contact", "lead", "productService"])
def test_the_columns_of_a_kind_are_those_of_its_model(panel: str) -> None:
    own = own_columns(panel)
    assert [column.name for column in RECORD_TYPES[panel].kind.columns if column.name not in own] == []
    assert own.keys() - {column.name for column in RECORD_TYPES[panel].kind.columns} == set()


@pytest.mark.parametrize("panel", ["contact", "lead", "productService"])
def test_types_and_empty_values_fit_the_model(panel: str) -> None:
    own = own_columns(panel)
    for column in RECORD_TYPES[panel].kind.columns:
        field = own[column.name]
        assert column.type == TYPES.get(field.get_internal_type(), "text"), column.name
        assert column.empty is not None or field.null or field.is_relation, column.name


@pytest.mark.parametrize("panel", ["contact", "lead", "productService"])
def test_system_fields_are_the_columns_that_form_data_has(panel: str) -> None:
    assert [field["unique_field_id"] for field in SYSTEM_FIELDS[panel]] == list(RECORD_TYPES[panel].kind.system_columns)


@pytest.mark.parametrize("panel", ["contact", "lead", "productService"])
def test_what_a_column_names_is_a_column(panel: str) -> None:
    kind = RECORD_TYPES[panel].kind
    for column in kind.columns:
        assert {column.group, column.stamps} - {""} <= kind.by_name.keys()


def test_groups_parts_and_derived_columns() -> None:
    contact, lead, product = (RECORD_TYPES[panel].kind for panel in ("contact", "lead", "productService"))
    phone = ("country_code", "number", "contact_number")
    assert contact.groups == dict.fromkeys(phone, phone)
    place = ("status", "status_changed_at", "pipeline_id", "stage_id", "lost_reason_id")
    assert lead.groups == dict.fromkeys(place, place)
    assert (
        list(contact.parts),
        contact.parts["number"] is contact.parts["countryCode"],
        contact.parts["number"].deciding_column,
    ) == (
        ["name", "email", "countryCode", "number", "category", "organization", "owner"],
        True,
        "contact_number",
    )
    assert list(lead.parts) == [
        *("status", "pipeline", "stage", "lostReason", "expectedCloseAt"),
        *("source", "value", "notes", "contact", "team", "teamMember", "organization"),
    ]
    assert (contact.derived_columns, lead.derived_columns, product.derived_columns) == (
        {"email_key", "number_key", "sort_name"},
        {"first_product"},
        frozenset(),
    )
    assert contact.emptied("number") == dict.fromkeys(phone)
    assert lead.emptied("status") == {"status": "", "pipeline_id": None, "stage_id": None, "lost_reason_id": None}
    assert product.emptied("is_active") == {"is_active": True}
