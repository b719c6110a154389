"""Reads of products and services that are more than a filter."""

from __future__ import annotations

from django.db.models import QuerySet

from crm.products.models import ProductService


def live_products() -> QuerySet[ProductService]:
    """Return the products and services of the active company that are not deleted."""
    return ProductService.objects.filter(is_deleted=False)
