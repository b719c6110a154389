"""Back office page of companies' settings."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts.companies.models import Company
from accounts.settings.models import CompanySettings
from core.backoffice.admin import BackOfficeForm, CompanyRecordAdmin
from core.backoffice.columns import choice_text
from core.backoffice.panels import register_panel, render_figures, render_link
from core.tenancy import company_scope
from core.text.formats import is_currency
from core.text.translation import gettext_lazy as _


class CompanySettingsForm(BackOfficeForm):
    """Settings of one line each; nested ones are changed by the company."""

    def clean_currency(self) -> str:
        code = self.cleaned_data["currency"].upper()
        if not is_currency(code):
            raise forms.ValidationError(_("“%(code)s” is not a currency. Enter a code, such as EUR.") % {"code": code})
        return str(code)


@admin.register(CompanySettings)
class CompanySettingsAdmin(CompanyRecordAdmin):
    """The look and formats of companies' products; the time zone is on the company's page."""

    icon = "settings"
    title_needs = ("company",)
    form = CompanySettingsForm
    edits = (
        *("currency", "date_format", "time_format", "app_name", "app_description", "app_version"),
        "duplicate_leads",
    )
    list_display = ("company", "app_name", "currency", "date_format", "time_format", "updated_at")
    search_fields = ("=id", "company__name", "app_name")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save only the fields changed here, so that changes that the company made since stay."""
        with company_scope(obj.company_id):
            obj.save(update_fields=[*form.changed_data, "updated_at"])


@register_panel(Company, _("Settings"), permission="accounts.view_companysettings")
def _settings(company: Company) -> SafeString:
    row = CompanySettings.objects.filter(company=company).first()
    company_settings = row or CompanySettings()
    return render_figures(
        [
            (_("Product name"), company_settings.app_name or company.name),
            (_("Currency"), company_settings.currency),
            (_("Date and time format"), f"{company_settings.date_format} {company_settings.time_format}"),
            (_("Time zone"), company.timezone),
            (_("Duplicate open leads"), choice_text(company_settings, "duplicate_leads")),
            (
                _("Links"),
                ", ".join(sorted(network for network, address in company_settings.links.items() if address))
                or _("None"),
            ),
            (_("Changed notification settings"), len(company_settings.notification_settings) or _("None")),
            (_("Settings"), render_link(row, _("Show")) if row else _("Never changed")),
        ]
    )
