"""Back office pages of companies."""

from __future__ import annotations

import zoneinfo
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts.models import ApiKey, Company, Member
from core.backoffice.admin import BackOfficeAdmin
from core.backoffice.panels import ROWS, link, list_address, panel, table


@admin.register(Company)
class CompanyAdmin(BackOfficeAdmin):
    """Tenants. The unique key of their contacts is not edited here: every contact's key columns hang on it."""

    icon = "apartment"
    edits = ("name", "email", "country_code", "number", "website", "description", "timezone")
    list_display = ("name", "email", "timezone", "contact_unique_key", "created_at")
    search_fields = ("=id", "name", "email")
    search_help_text = "Name, e-mail or id"

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "timezone" and field is not None:
            field.validators.append(known_timezone)
        return field


def known_timezone(name: str) -> None:
    """Raise ValidationError for a name that the IANA database does not have."""
    if name not in zoneinfo.available_timezones():
        raise forms.ValidationError(f"{name} is not a timezone of the IANA database.")


@panel(Company, "Members", permission="accounts.view_member")
def _members(company: Company) -> SafeString:
    rows = Member.objects.filter(company=company).select_related("user", "role").order_by("id")
    cells = [
        (link(row, row.name or row.email), row.email, row.get_status_display(), row.role or "–", row.created_at) for row in rows[:ROWS]
    ]
    return table(("Name", "E-mail", "Status", "Role", "Since"), cells, more=list_address(Member, company__id__exact=company.pk))


@panel(Company, "API keys", permission="accounts.view_apikey")
def _keys(company: Company) -> SafeString:
    rows = ApiKey.objects.filter(company=company).select_related("created_by").defer("key").order_by("-id")
    cells = [(link(row), row.get_type_display(), row.get_ip_restriction_display(), row.created_by, row.created_at) for row in rows[:ROWS]]
    return table(("Key", "Type", "Addresses", "Made by", "Made"), cells, more=list_address(ApiKey, company__id__exact=company.pk))
