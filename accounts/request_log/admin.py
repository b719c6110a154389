"""Back office page of the server log, which is read only, and its panel on the page of a company."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RangeNumericFilter

from accounts.companies.models import Company
from accounts.request_log.models import ServerLog
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.columns import choice_text
from core.backoffice.panels import ROWS, list_address, register_panel, render_link, render_table
from core.text.translation import gettext_lazy as _


@admin.register(ServerLog)
class ServerLogAdmin(CompanyRecordAdmin):
    """Requests to the API, unauthenticated ones included."""

    icon = "dns"
    list_display = ("__str__", "created_at", "company", "auth_path", "status", "duration_ms", "user", "ip")
    list_filter = (BY_COMPANY, ("status", RangeNumericFilter), ("auth_path", ChoicesDropdownFilter))
    search_fields = ("=id", "path")
    search_help_text = _("Id or part of the path. Filter by company in long logs.")


@register_panel(Company, _("Requests"), permission="accounts.view_serverlog")
def _requests(company: Company) -> SafeString:
    rows = ServerLog.objects.filter(company=company).select_related("member").order_by("-created_at", "-id")[:ROWS]
    cells = [
        (
            render_link(row, f"{row.method} {row.path}"),
            row.status,
            f"{row.duration_ms:,.0f} ms",
            choice_text(row, "auth_path"),
            row.member or "–",
            row.created_at,
        )
        for row in rows
    ]
    return render_table(
        (_("Request"), _("Status"), _("Took"), _("Access"), _("By"), _("Time")),
        cells,
        more=list_address(ServerLog, company__id__exact=company.pk),
        empty=_("No requests yet."),
    )
