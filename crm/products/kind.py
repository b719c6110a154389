"""Products and services as a kind of records: their tables and columns."""

from __future__ import annotations

from crm.products.models import ProductService, ProductServiceValue
from crm.records.kinds import Column, RecordKind
from crm.records.models import CustomField

PRODUCT_SERVICE = RecordKind(
    panel=CustomField.Panel.PRODUCT_SERVICE,
    model=ProductService,
    values=ProductServiceValue,
    link="product_service",
    noun="products and services",
    singular="product or service",
    module="product-service",
    columns=(
        Column("name", "name", "field", empty=""),
        Column("kind", "type", "field", empty=ProductService.Kind.PRODUCT),
        Column("description", "description", "field", empty=""),
        Column("category", "category", "field", empty=""),
        Column("sku", "sku", "field", empty=""),
        Column("price", "price", "field", type="numeric"),
        Column("currency", "currency", "field", empty=""),
        Column("unit", "unit", "field", empty=""),
        Column("is_active", "isActive", "field", type="boolean", empty=True),
    ),
    not_found="ProductServiceNotFound_400",
    exists="ProductServiceNameAlreadyExists_400",
    unique={"name": "lower(name)"},
    unique_noun="the name",
)
