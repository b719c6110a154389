"""Back office page of companies' settings."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from accounts.settings.models import CompanySettings
from core.backoffice.admin import BackOfficeForm, CompanyRecordAdmin
from core.tenancy import company_scope
from core.text.formats import is_currency


class CompanySettingsForm(BackOfficeForm):
    """Settings of one line each; nested ones are changed by the company."""

    def clean_currency(self) -> str:
        code = self.cleaned_data["currency"].upper()
        if not is_currency(code):
            raise forms.ValidationError(f"{code} is not a currency of ISO 4217 that is in use.")
        return str(code)


@admin.register(CompanySettings)
class CompanySettingsAdmin(CompanyRecordAdmin):
    """How companies' products look and write; the time zone is on the company's page."""

    icon = "settings"
    form = CompanySettingsForm
    edits = ("currency", "date_format", "time_format", "app_name", "app_description", "app_version")
    list_display = ("company", "app_name", "currency", "date_format", "time_format", "updated_at")
    search_fields = ("=id", "company__name", "app_name")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Write what was changed here alone, so that what the company changes meanwhile stays."""
        with company_scope(obj.company_id):
            obj.save(update_fields=[*form.changed_data, "updated_at"])
