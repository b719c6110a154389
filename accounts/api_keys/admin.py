"""Back office pages of credentials."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from accounts.api_keys.models import ApiKey
from accounts.api_keys.services import delete_keys
from accounts.companies.models import Company
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.columns import choice_text
from core.backoffice.panels import ROWS, list_address, register_panel, render_link, render_table
from core.tenancy import company_scope
from core.text.translation import gettext_lazy as _


@admin.register(ApiKey)
class ApiKeyAdmin(CompanyRecordAdmin):
    """Keys, masked; the API shows them in full to their company. Deleting one ends its access."""

    icon = "vpn_key"
    deletes = True
    list_display = (
        "masked_key",
        "company",
        "type",
        "duration_minutes",
        "ip_restriction",
        "created_by",
        "created_at",
        "last_used_at",
    )
    list_filter = (BY_COMPANY, ("type", ChoicesDropdownFilter), ("ip_restriction", ChoicesDropdownFilter))
    search_fields = ("=id", "masked_key", "created_by__email")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiKey]:
        keys: QuerySet[ApiKey] = super().get_queryset(request)
        return keys.defer("key")

    def delete_model(self, request: HttpRequest, obj: ApiKey) -> None:
        with company_scope(obj.company_id):
            delete_keys(ids=[obj.pk])


@register_panel(Company, _("API keys"), permission="accounts.view_apikey")
def _keys(company: Company) -> SafeString:
    rows = ApiKey.objects.filter(company=company).select_related("created_by").defer("key").order_by("-id")
    cells = [
        (
            render_link(row),
            choice_text(row, "type"),
            choice_text(row, "ip_restriction"),
            row.created_by,
            row.created_at,
            row.last_used_at or _("Never"),
        )
        for row in rows[:ROWS]
    ]
    return render_table(
        (_("Key"), _("Type"), _("IP addresses"), _("Created by"), _("Created"), _("Last used")),
        cells,
        more=list_address(ApiKey, company__id__exact=company.pk),
    )
