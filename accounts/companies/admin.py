"""Back office pages of companies."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from accounts.companies.models import Company
from accounts.members.models import Member
from accounts.staff_visits.admin import ReasonForm, visit_address
from accounts.staff_visits.services import PERMISSION, open_visit
from core.backoffice.admin import BackOfficeAdmin
from core.backoffice.dialogs import asks
from core.text.timezones import is_timezone


@admin.register(Company)
class CompanyAdmin(BackOfficeAdmin):
    """Tenants. The unique key of their contacts is not edited here: every contact's key columns hang on it."""

    icon = "apartment"
    edits = ("name", "email", "country_code", "number", "website", "description", "timezone")
    dialogs = ("look_inside",)
    list_display = ("name", "email", "website", "country", "timezone", "created_at")
    search_fields = ("=id", "name", "email", "website")
    search_help_text = "Name, e-mail, website or id; or the whole e-mail address of one of its members"

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Also the companies of the person whose address was typed in."""
        found, distinct = super().get_search_results(request, queryset, search_term)
        address = search_term.strip()
        if "@" not in address or " " in address:
            return found, distinct
        theirs = Member.objects.filter(Q(email=address) | Q(user__email=address)).values("company_id")
        by_text = found.order_by().values("pk")
        return queryset.filter(Q(pk__in=by_text) | Q(pk__in=theirs)), False

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "timezone" and field is not None:
            field.validators.append(known_timezone)
        return field

    @asks(ReasonForm, "Look inside", permission=PERMISSION)
    def look_inside(self, request: HttpRequest, company: Company, reason: str) -> HttpResponse:
        """Open a visit, and go there."""
        visit = open_visit(staff=request.user, company_id=company.pk, reason=reason)  # type: ignore[arg-type]  # the site lets users in alone
        self.log_change(request, company, f"Looked inside: {visit.reason}")
        return HttpResponseRedirect(visit_address(visit))


def known_timezone(name: str) -> None:
    """Raise ValidationError for a name that the IANA database does not have."""
    if not is_timezone(name):
        raise forms.ValidationError(f"{name} is not a timezone of the IANA database.")
