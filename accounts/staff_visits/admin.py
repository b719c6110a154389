"""Back office pages of staff visits, which are read only, and the start of a visit on a company's page."""

from __future__ import annotations

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import AutocompleteSelectFilter
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextareaWidget

from accounts.companies.admin import CompanyAdmin
from accounts.companies.models import Company
from accounts.staff_visits.models import StaffVisit, StaffVisitPage
from accounts.staff_visits.services import MAX_REASON, MIN_REASON, PERMISSION, open_visit
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.columns import Tones
from core.backoffice.dialogs import dialog_action
from core.backoffice.panels import ROWS, list_address, register_panel, render_link, render_table
from core.text.formats import moment_text
from core.text.translation import gettext_lazy as _

COLOURS = Tones({"open": "success", "ended": "info", "over": "warning"})
STATES = {"open": _("Open"), "ended": _("Ended"), "over": _("Expired")}


class ReasonForm(forms.Form):
    """The reason for a visit to a company."""

    reason = forms.CharField(
        min_length=MIN_REASON,
        max_length=MAX_REASON,
        widget=UnfoldAdminTextareaWidget({"rows": 3, "autofocus": True}),
        help_text=_("Owners see the reason and every page you open. The visit ends after an hour."),
    )


@admin.register(StaffVisit)
class StaffVisitAdmin(CompanyRecordAdmin):
    """Visits of staff to companies, with their reasons."""

    icon = "visibility"
    title_needs = ("staff",)
    list_display = ("__str__", "created_at", "company", "staff", "reason", "condition", "expires_at", "ended_at")
    list_filter = (BY_COMPANY, ("staff", AutocompleteSelectFilter))
    search_fields = ("=id", "reason", "staff__email", "company__name")
    search_help_text = _("Reason, email of the staff member, company or id")

    def lead(self, record: StaffVisit) -> str:
        return record.reason

    @display(description=_("state"), label=COLOURS)
    def condition(self, visit: StaffVisit) -> tuple[str, str]:
        return visit.state, STATES[visit.state]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup == "staff__id__exact" or super().lookup_allowed(lookup, value, request)


@admin.register(StaffVisitPage)
class StaffVisitPageAdmin(CompanyRecordAdmin):
    """The pages opened on visits."""

    icon = "footprint"
    operators_only = True
    list_display = ("__str__", "created_at", "path", "visit", "company")
    search_fields = ("=id", "=visit__id", "visit__staff__email")
    search_help_text = _("Id of the visit or email of the staff member")

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup == "visit__id__exact" or super().lookup_allowed(lookup, value, request)


@register_panel(StaffVisit, _("Pages"), permission="accounts.view_staffvisitpage")
def _pages(visit: StaffVisit) -> SafeString:
    rows = StaffVisitPage.objects.filter(visit=visit).order_by("-id")[:100]
    cells = [(row.created_at, row.path) for row in rows]
    return render_table(
        (_("Time"), _("Page")),
        cells,
        more=list_address(StaffVisitPage, visit__id__exact=visit.pk),
        empty=_("No pages opened."),
    )


@register_panel(Company, _("Visits"), permission="accounts.view_staffvisit")
def _visits(company: Company) -> SafeString:
    rows = StaffVisit.objects.filter(company=company).select_related("staff").order_by("-created_at")[:ROWS]
    cells = [(render_link(row, moment_text(row.created_at)), row.staff, row.reason, STATES[row.state]) for row in rows]
    return render_table(
        (_("Time"), _("Staff member"), _("Reason"), _("State")),
        cells,
        more=list_address(StaffVisit, company__id__exact=company.pk),
        empty=_("No visits yet."),
    )


admin.site.unregister(Company)


@admin.register(Company)
class VisitedCompanyAdmin(CompanyAdmin):
    """The page of a company, where staff start a visit."""

    finds = True
    dialogs = ("look_inside", *CompanyAdmin.dialogs)

    @dialog_action(ReasonForm, _("View as company"), permission=PERMISSION)
    def look_inside(self, request: HttpRequest, company: Company, reason: str) -> HttpResponse:
        """Open a visit and redirect to the first page of the company's own people."""
        visit = open_visit(staff=request.user, company_id=company.pk, reason=reason)  # type: ignore[arg-type]  # the site lets users in alone
        self.log_change(request, company, _("Viewed as company: %(reason)s") % {"reason": visit.reason})
        return HttpResponseRedirect(f"/c/{visit.company_id}/")
