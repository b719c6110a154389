"""Back office pages of credentials."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter

from accounts.models import ApiKey, RefreshToken
from accounts.services.api_keys import delete_keys
from accounts.services.sessions import end_family
from core.backoffice.admin import BY_COMPANY, BackOfficeAdmin, CompanyRecordAdmin
from core.tenancy import company_scope


@admin.register(ApiKey)
class ApiKeyAdmin(CompanyRecordAdmin):
    """Keys, masked; the API shows them in full to their company. Deleting one ends its access."""

    icon = "vpn_key"
    deletes = True
    list_display = ("masked_key", "company", "type", "duration_minutes", "ip_restriction", "created_by", "created_at", "last_used_at")
    list_filter = (BY_COMPANY, ("type", ChoicesDropdownFilter), ("ip_restriction", ChoicesDropdownFilter))
    list_select_related = ("company", "created_by")
    search_fields = ("=id", "masked_key", "created_by__email")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiKey]:
        return super().get_queryset(request).defer("key")

    def delete_model(self, request: HttpRequest, obj: ApiKey) -> None:
        with company_scope(obj.company_id):
            delete_keys(ids=[obj.pk])


@admin.register(RefreshToken)
class RefreshTokenAdmin(BackOfficeAdmin):
    """Sessions that can be renewed."""

    icon = "devices"
    list_display = ("id", "user", "state", "created_at", "expires_at", "used_at", "revoked_at")
    list_filter = (("user", AutocompleteSelectFilter),)
    list_select_related = ("user",)
    search_fields = ("=id", "=family", "user__email")
    commands = ("end",)

    @admin.display(description="state")
    def state(self, token: RefreshToken) -> str:
        if token.revoked_at:
            return "ended"
        if token.used_at:
            return "renewed"
        return "open" if token.expires_at > timezone.now() else "run out"

    @admin.display(description="End the session")
    def end(self, request: HttpRequest, rows: QuerySet[RefreshToken]) -> None:
        for token in rows:
            end_family(family=token.family)
            self.log_change(request, token, "Ended the session.")
        self.message_user(request, "The sessions have ended", messages.SUCCESS)
