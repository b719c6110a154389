"""The registrations of products."""

from __future__ import annotations

from core.access import count_usage
from core.api.routes import protected
from core.global_search import Kind, register_kind
from crm.products.filters import PRODUCT_FIELDS
from crm.products.record_type import PRODUCT_TYPE
from crm.products.selectors import live_products
from crm.products.views import ProductViewSet
from crm.records.types import register_record_type

protected.register("product-service", ProductViewSet)
register_record_type(PRODUCT_TYPE)
count_usage("product-service", live_products)
register_kind(
    Kind(
        "product-service",
        "product-service",
        lambda actor: live_products(),
        PRODUCT_FIELDS.pick("name", "sku"),
        "name",
        "kind",
        40,
    )
)
