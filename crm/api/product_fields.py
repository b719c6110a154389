"""What lists of products and services are filtered, searched and sorted by."""

from __future__ import annotations

from core.lists import FieldSet, ListField
from core.lists.narrowing import Narrow
from crm.api.record_fields import custom_fields_of
from crm.services.product_kind import PRODUCT_SERVICE

TEXTS = Narrow()
"""By the product's own texts."""

PRODUCT_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False, narrow=TEXTS),
        ListField("type", "text", "kind", nullable=False),
        ListField("description", "text", "description", searchable=True, nullable=False, narrow=TEXTS),
        ListField("category", "text", "category", searchable=True, nullable=False, narrow=TEXTS),
        ListField("sku", "text", "sku", searchable=True, nullable=False, narrow=TEXTS),
        ListField("price", "number", "price"),
        ListField("currency", "text", "currency", nullable=False),
        ListField("unit", "text", "unit", nullable=False),
        ListField("isActive", "boolean", "is_active", nullable=False),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdBy.name", "text", "created_by__name", searchable=True),
        ListField("updatedBy", "id", "updated_by_id"),
        ListField("updatedBy.name", "text", "updated_by__name", searchable=True),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name", "sku", "category", "description"),
    dynamic=custom_fields_of(PRODUCT_SERVICE),
)
