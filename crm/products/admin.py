from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.panels import register_panel, render_table
from core.backoffice.references import register_event_kind, register_references
from core.text.translation import gettext_lazy as _
from crm.custom_fields.admin import custom_values
from crm.products.models import ProductService


@admin.register(ProductService)
class ProductServiceAdmin(CompanyRecordAdmin):
    """Products and services, read-only: the API changes them, since it keeps values and events together."""

    icon = "inventory_2"
    finds = True
    list_display = (
        "name",
        "company",
        "kind",
        "category",
        "sku",
        "price",
        "currency",
        "is_active",
        "deleted_at",
        "created_at",
    )
    list_filter = (BY_COMPANY, ("kind", ChoicesDropdownFilter), "is_active", "is_deleted")
    search_fields = ("=id", "name", "sku")
    hides = ("custom",)


@register_panel(ProductService, _("Values"))
def _values(product: ProductService) -> SafeString:
    return render_table((_("Field"), _("Value")), custom_values(product), empty=_("No custom values."))


register_references(ProductService, "productService", "productServices")
register_event_kind(ProductService, "product-service")
