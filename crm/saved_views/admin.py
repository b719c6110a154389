from __future__ import annotations

from django.contrib import admin
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from crm.saved_views.models import SavedView


@admin.register(SavedView)
class SavedViewAdmin(CompanyRecordAdmin):
    """Saved views, read-only: the API checks their queries against the company's fields."""

    icon = "view_list"
    list_display = ("name", "company", "resource", "layout", "shared", "created_by", "created_at")
    list_filter = (BY_COMPANY, ("layout", ChoicesDropdownFilter), "shared")
    search_fields = ("=id", "name")
