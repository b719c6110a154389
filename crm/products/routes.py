"""Addresses of products and services."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.products.views import ProductViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("product-service", ProductViewSet)
