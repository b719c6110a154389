"""The fields that lists of products and services are filtered, searched and sorted by."""

from __future__ import annotations

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField
from core.lists.prefilter import Prefilter
from crm.products.kind import PRODUCT_SERVICE
from crm.records.filters import column_field, custom_fields_of

TEXTS = Prefilter()
"""Narrows a search by the product's own texts."""

PRODUCT_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        column_field(PRODUCT_SERVICE, "name", searchable=True, prefilter=TEXTS),
        column_field(PRODUCT_SERVICE, "type"),
        column_field(PRODUCT_SERVICE, "description", searchable=True, prefilter=TEXTS),
        column_field(PRODUCT_SERVICE, "category", searchable=True, prefilter=TEXTS),
        column_field(PRODUCT_SERVICE, "sku", searchable=True, prefilter=TEXTS),
        column_field(PRODUCT_SERVICE, "price"),
        column_field(PRODUCT_SERVICE, "currency"),
        column_field(PRODUCT_SERVICE, "unit"),
        column_field(PRODUCT_SERVICE, "isActive"),
        *authorship_fields(searchable=True),
    ],
    default_search=("name", "sku", "category", "description"),
    dynamic=custom_fields_of(PRODUCT_SERVICE),
)
