"""Back office page of companies."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from accounts.companies.models import Company
from accounts.companies.services import change_unique_key
from core.backoffice.admin import BackOfficeAdmin
from core.backoffice.dialogs import dialog_action
from core.hooks import Hook
from core.tenancy import company_scope
from core.text.timezones import is_timezone
from core.text.translation import gettext_lazy as _

company_search: Hook[[str], QuerySet[Any] | None] = Hook(
    __name__,
    "company_search",
    "When staff search for companies. Returns the ids that match the term, or None for a term of another kind.",
)


class UniqueKeyForm(forms.Form):
    """The field by which a company's contacts are unique."""

    value = forms.ChoiceField(label=_("Contacts are unique by"), choices=Company.UniqueKey.choices)


@admin.register(Company)
class CompanyAdmin(BackOfficeAdmin):
    """Tenants. The unique key of their contacts has a dialog of its own: every contact's key columns hang on it."""

    icon = "apartment"
    finds = True
    edits = ("name", "email", "country_code", "number", "website", "description", "timezone")
    list_display = ("name", "email", "website", "country", "timezone", "created_at")
    search_fields = ("=id", "name", "email", "website")
    search_help_text = _("Name, email, website, id or a member's email address")
    dialogs: tuple[str, ...] = ("change_unique_key",)

    @dialog_action(UniqueKeyForm, _("Change the unique key of contacts"), permission="accounts.change_company")
    def change_unique_key(self, request: HttpRequest, company: Company, value: str) -> None:
        """Change the unique key of the company's contacts; refused while two of them share a value."""
        with transaction.atomic(), company_scope(company.pk):
            change_unique_key(value)
        self.log_change(request, company, _("Contacts are now unique by: %(value)s.") % {"value": value})

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Search the columns, and by the searches of other domains."""
        rows, distinct = super().get_search_results(request, queryset, search_term)
        further = [ids for ids in company_search.send(search_term.strip()) if ids is not None]
        if not further:
            return rows, distinct
        matches = Q(pk__in=rows.order_by().values("pk"))
        for ids in further:
            matches |= Q(pk__in=ids)
        return queryset.filter(matches), False

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "timezone" and field is not None:
            field.validators.append(known_timezone)
        return field


def known_timezone(name: str) -> None:
    """Raise ValidationError for a name that the IANA database does not have."""
    if not is_timezone(name):
        raise forms.ValidationError(
            _("“%(name)s” is not a time zone. Enter one such as Europe/Berlin.") % {"name": name}
        )
