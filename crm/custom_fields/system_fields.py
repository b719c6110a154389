"""The system fields of every company: their initial state, and the attributes that can change."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Count

from core.errors import NamedError, shorten
from core.hooks import Hook
from core.types import JsonObject, Values
from crm.custom_fields.validation import check_definition
from crm.records.models import CustomField
from crm.records.types import kind_of


def options(*labels: str) -> list[dict[str, str]]:
    """Make options whose values are their labels in lower case."""
    return [{"label": label, "description": "", "value": label.lower()} for label in labels]


system_options_changed: Hook[[], object] = Hook(
    __name__,
    "system_options_changed",
    "After the options of system fields of the active company have changed, or the fields were created, in that"
    " transaction and under the lock of the fields. Keeps what is made of the options the same.",
)

SYSTEM_FIELDS: dict[str, tuple[JsonObject, ...]] = {
    CustomField.Panel.CONTACT: (
        {"unique_field_id": "name", "name": "Name", "field_type": "text", "value_type": "string"},
        {"unique_field_id": "email", "name": "Email", "field_type": "email", "value_type": "string", "required": True},
        {
            "unique_field_id": "countryCode",
            "name": "Country code",
            "field_type": "text",
            "value_type": "string",
            "required": True,
        },
        {
            "unique_field_id": "number",
            "name": "Phone number",
            "field_type": "phone",
            "value_type": "string",
            "required": True,
        },
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
    CustomField.Panel.ORGANIZATION: (
        {"unique_field_id": "name", "name": "Name", "field_type": "text", "value_type": "string", "required": True},
        {"unique_field_id": "domain", "name": "Domain", "field_type": "text", "value_type": "string"},
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
        {
            "unique_field_id": "isActive",
            "name": "Active",
            "field_type": "checkbox",
            "value_type": "boolean",
            "default_value": True,
        },
    ),
}
"""Panel -> the initial system fields of its records; each is stored in a column of the record."""

CHANGEABLE = ("name", "required", "order", "hide", "placeholder", "helper")
CHANGEABLE_OPTIONS = {(CustomField.Panel.LEAD.value, "status"), (CustomField.Panel.LEAD.value, "source")}
"""The system fields whose options, and with them the default, a company may change."""


def may_change(field: CustomField) -> tuple[str, ...]:
    """Return the attributes of a system field that can change."""
    return (
        (*CHANGEABLE, "options", "default_value")
        if (field.panel, field.unique_field_id) in CHANGEABLE_OPTIONS
        else CHANGEABLE
    )


def check_options(field: CustomField, before: Iterable[Values]) -> None:
    """Check the new options of a system field against its old ones, `before`. The caller holds the lock of the fields.

    Raises InvalidInput_400 for invalid options, InvalidSystemField_400 with the count when live records have a removed
    one.
    """
    check_definition(field)
    option_values = [option["value"] for option in field.options]
    if not option_values:
        raise NamedError("InvalidInput_400", "enter at least one option", field="options")
    column, kind = field.unique_field_id, kind_of(field.panel)
    most: int = kind.model._meta.get_field(column).max_length  # type: ignore[union-attr, assignment]
    long = next((value for value in option_values if len(value) > most), None)
    if long is not None:
        raise NamedError(
            "InvalidInput_400", f"enter at most {most} characters instead of {shorten(long, 40)}", field="options"
        )
    gone = {option["value"] for option in before} - set(option_values)
    live = (
        kind.model._default_manager.filter(is_deleted=False, **{f"{column}__in": gone})
        if gone
        else kind.model._default_manager.none()
    )
    used = list(live.values_list(column).annotate(count=Count("pk")).order_by(column))
    if used:
        counts = ", ".join(f"{count} with {shorten(value, 60)!r}" for value, count in used[:10])
        raise NamedError(
            "InvalidSystemField_400",
            f"keep the options that {kind.noun} have: {counts}",
            field="options",
        )
