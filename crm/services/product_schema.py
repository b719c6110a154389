"""What a company's products and services consist of, and the reader of their formData."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from crm.fields import TextFormat
from crm.fields.values import clean_text
from crm.models import ProductService
from crm.records import PRODUCT_SERVICE, RecordKind
from crm.services.amounts import read_amount, read_currency
from crm.services.record_schema import RecordRow, RecordSchema, ValueProblem

SYSTEM_COLUMNS = {
    "name": "name",
    "type": "kind",
    "description": "description",
    "category": "category",
    "sku": "sku",
    "price": "price",
    "currency": "currency",
    "unit": "unit",
    "isActive": "is_active",
}
"""formData key of a system field -> column of the product or service."""
COLUMN_TYPES = dict.fromkeys(SYSTEM_COLUMNS.values(), "text") | {"price": "numeric", "is_active": "boolean"}
MAX_LENGTHS: dict[str, int] = {
    key: ProductService._meta.get_field(key).max_length  # type: ignore[union-attr,misc]
    for key in ("name", "category", "sku", "unit")
}
EMPTY: dict[str, Any] = {"type": ProductService.Kind.PRODUCT, "price": None, "isActive": True}
"""What stands where a value is taken away, unless it is empty text."""


@dataclass(slots=True)
class ProductSchema(RecordSchema):
    """The fields of the active company's products and services."""

    kind: ClassVar[RecordKind] = PRODUCT_SERVICE
    columns: ClassVar[Mapping[str, str]] = SYSTEM_COLUMNS
    names: ClassVar[Mapping[str, str]] = {column: key for key, column in SYSTEM_COLUMNS.items()}
    required_name: ClassVar[str] = "ProductServiceDataRequired_400"

    @classmethod
    def load(cls) -> Self:
        """The schema of the active company: one query."""
        schema = super(ProductSchema, cls).load()
        fields = schema.system_fields
        required = {key for key, spec in fields.items() if spec.required} | {"name"}  # leads show and sort by it
        schema.required_system = tuple(key for key in SYSTEM_COLUMNS if key in required)
        defaults = {key: spec.default for key, spec in fields.items() if key in SYSTEM_COLUMNS and spec.default is not None}
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

    def emptied(self, key: str) -> dict[str, Any]:
        return {SYSTEM_COLUMNS[key]: EMPTY.get(key, "")}

    def read(
        self,
        form_data: Mapping[str, Any],
        *,
        partial: bool = False,
        drop_invalid: bool = False,
        from_text: bool | TextFormat = False,
        index: int = 0,
    ) -> tuple[RecordRow | None, list[ValueProblem]]:
        """As RecordSchema.read."""
        row = RecordRow(index=index)
        problems: list[ValueProblem] = []
        how = from_text if isinstance(from_text, TextFormat) else TextFormat() if from_text else None
        self.read_system(form_data, row, problems, how)
        self.read_custom(form_data, row, problems, how, SYSTEM_COLUMNS)
        invalid = {problem.key for problem in problems}
        fatal = self.missing_system(row, invalid, partial, drop_invalid) + self.missing_custom(row, invalid, partial, drop_invalid)
        if fatal or (problems and not drop_invalid):
            return None, [*fatal, *problems]
        return row, problems
