"""The fields of a company's products and services, and the reader of their formData."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from core.types import Values
from crm.field_types.values import clean_text
from crm.products.kind import PRODUCT_SERVICE
from crm.products.models import ProductService
from crm.records.kinds import RecordKind
from crm.records.money import read_amount, read_currency
from crm.records.schema import RecordSchema, lower_text

SYSTEM_COLUMNS = PRODUCT_SERVICE.system_columns
MAX_LENGTHS: dict[str, int] = {
    key: ProductService._meta.get_field(key).max_length  # type: ignore[union-attr,misc]
    for key in ("name", "category", "sku", "unit")
}


@dataclass(slots=True)
class ProductSchema(RecordSchema):
    """The fields of the active company's products and services."""

    kind: ClassVar[RecordKind] = PRODUCT_SERVICE
    required_name: ClassVar[str] = "ProductServiceDataRequired_400"

    @classmethod
    def load(cls) -> Self:
        """Load the schema of the active company with one query."""
        schema = super(ProductSchema, cls).load()
        fields = schema.system_fields
        required = {key for key, spec in fields.items() if spec.required} | {"name"}  # leads show and sort by it
        schema.required_system = tuple(key for key in SYSTEM_COLUMNS if key in required)
        defaults = {
            key: spec.default for key, spec in fields.items() if key in SYSTEM_COLUMNS and spec.default is not None
        }
        schema.system_defaults = {SYSTEM_COLUMNS[key]: schema.fit(key, value) for key, value in defaults.items()}
        return schema

    def fit(self, key: str, value: Any) -> Any:
        if key == "price":
            return read_amount(value)
        if key == "currency":
            return read_currency(value)
        if key in MAX_LENGTHS:
            return " ".join(clean_text(value, MAX_LENGTHS[key]).split())
        return value

    def claims(self, columns: Values) -> dict[str, str]:
        return {"name": lower_text(columns["name"])}
