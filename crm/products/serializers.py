"""Bodies and answers of products and services."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, FormInput, ObjectInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject, Values
from crm.products.models import ProductService
from crm.products.schema import SYSTEM_COLUMNS
from crm.records.serializers import DROP, SKIP_ONE, AutomationInput, member_of
from crm.records.writes.bulk_change import UPDATE_TYPES

FORM_DATA = f"system values ({', '.join(SYSTEM_COLUMNS)}) and custom values by the uniqueFieldID of their field"


class ProductInput(FormInput, AutomationInput):
    """The values of a product or service."""

    system = SYSTEM_COLUMNS


class ProductCreate(ProductInput):
    formData = ObjectInput(default=dict, help_text=FORM_DATA)
    skipInvalid = BooleanInput(default=False, help_text=SKIP_ONE)
    dropInvalidValues = BooleanInput(default=False, help_text=DROP)


class ProductUpdate(ProductInput):
    formData = ObjectInput(default=dict, help_text=FORM_DATA + "; null empties a value")


class ProductBulkUpdate(SelectionInput, ProductUpdate):
    updateType = serializers.ChoiceField(
        choices=UPDATE_TYPES,
        default="set",
        help_text="set: give these values; append, remove: items of fields with several values; clear: empty the fields"
        " named",
    )


class ProductDelete(SelectionInput, AutomationInput):
    """Products and services to delete."""


class ProductOut(Output):
    """A product or service."""

    _id = IdField()
    name = serializers.CharField()
    type = serializers.ChoiceField(source="kind", choices=ProductService.Kind.values)
    description = serializers.CharField()
    category = serializers.CharField()
    sku = serializers.CharField(help_text="the company's own article number")
    price = serializers.FloatField(allow_null=True)
    currency = serializers.CharField(help_text="ISO 4217 code; empty: the company's")
    unit = serializers.CharField(help_text="what the price is for, such as hour or piece")
    isActive = serializers.BooleanField()
    formData = Computed(serializers.DictField(help_text=FORM_DATA))
    createdBy = Computed(MemberSnapshot(allow_null=True))
    updatedBy = Computed(MemberSnapshot(allow_null=True))
    isDeleted = serializers.BooleanField()
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    # References are put together here: cheaper than parsing an object of each out of JSON.
    reads = (
        "custom",
        *(f"{member}_by{part}" for member in ("created", "updated") for part in ("_id", "__name", "__email")),
    )

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data["formData"] = {key: data[key] for key in SYSTEM_COLUMNS} | row["custom"]
        data["createdBy"] = member_of(row, "created_by")
        data["updatedBy"] = member_of(row, "updated_by")
        return data
