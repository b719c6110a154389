"""Back office pages of the suppression list."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.tenancy import company_scope
from outreach.suppression.models import Suppression
from outreach.suppression.services import delete_suppressions


@admin.register(Suppression)
class SuppressionAdmin(CompanyRecordAdmin):
    """Addresses that are never written to. People who unsubscribed or complained stay on the list."""

    icon = "block"
    deletes = True
    list_display = ("email", "reason", "company", "source", "created_at")
    list_filter = (("reason", ChoicesDropdownFilter), BY_COMPANY)
    search_fields = ("=id", "email")

    def has_delete_permission(self, request: HttpRequest, obj: Suppression | None = None) -> bool:
        kept = (Suppression.Reason.UNSUBSCRIBED, Suppression.Reason.COMPLAINED)
        return super().has_delete_permission(request, obj) and (obj is None or obj.reason not in kept)

    def delete_model(self, request: HttpRequest, obj: Suppression) -> None:
        with company_scope(obj.company_id):
            delete_suppressions(ids=[obj.pk])
