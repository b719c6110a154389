"""Back office pages of companies' brands."""

from __future__ import annotations

from django.contrib import admin

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from outreach.site.white_label.models import BrandImage, WhiteLabel


@admin.register(WhiteLabel)
class WhiteLabelAdmin(CompanyRecordAdmin):
    """Names, colours and hosts that companies show in place of the service's."""

    icon = "palette"
    list_display = ("__str__", "company", "domain", "accent", "updated_at")
    search_fields = ("=id", "product_name")


@admin.register(BrandImage)
class BrandImageAdmin(CompanyRecordAdmin):
    """Logos and favicons of companies; they are public at /brand/<id>.png."""

    icon = "image"
    list_display = ("__str__", "company", "kind", "width", "height", "created_at")
    list_filter = (BY_COMPANY, "kind")
    search_fields = ("=id",)
    exclude = ("content",)
