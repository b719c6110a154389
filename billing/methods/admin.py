"""Back office pages of methods that are saved without a payment."""

from __future__ import annotations

from django.contrib import admin
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from billing.methods.models import MethodSetup
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin


@admin.register(MethodSetup)
class MethodSetupAdmin(CompanyRecordAdmin):
    """Ways to pay that are being saved on a gateway's page."""

    icon = "add_card"
    operators_only = True
    list_display = ("__str__", "company", "letter", "adapter", "status", "reason", "created_at")
    list_filter = (("status", ChoicesDropdownFilter), "letter", BY_COMPANY)
    search_fields = ("=id", "=gateway_id")
