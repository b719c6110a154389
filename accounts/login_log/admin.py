"""Back office page of the login log, which is read only, and its panels on the pages of users and companies."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from accounts.companies.models import Company
from accounts.login_log.models import LoginLog
from accounts.users.models import User
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.columns import choice_text
from core.backoffice.panels import ROWS, list_address, register_panel, render_link, render_table
from core.text.translation import gettext_lazy as _


@admin.register(LoginLog)
class LoginLogAdmin(CompanyRecordAdmin):
    """Attempts to log in, once for each company of the person; those of strangers belong to none."""

    icon = "login"
    list_display = ("__str__", "created_at", "email", "status", "reason", "company", "ip", "user_agent")
    list_filter = (BY_COMPANY, ("status", ChoicesDropdownFilter))
    search_fields = ("=id", "email")
    search_help_text = _("Id or part of the email address")


@register_panel(User, _("Log-ins"), permission="accounts.view_loginlog")
def _logins_of_user(user: User) -> SafeString:
    # An attempt has a row for each company of the user: merge the rows of one second and one address.
    rows = LoginLog.objects.filter(user=user).order_by("-created_at", "-id")[: ROWS * 10]
    row_by_key = {(row.created_at.replace(microsecond=0), row.status, row.reason, row.ip): row for row in rows}
    cells = [
        (render_link(row, choice_text(row, "status")), row.reason or "–", row.ip or "–", row.user_agent or "–", at)
        for (at, *_), row in row_by_key.items()
    ]
    return render_table(
        (_("Status"), _("Reason"), _("IP address"), _("Browser"), _("Time")),
        cells[:ROWS],
        more=list_address(LoginLog, q=user.email),
        empty=_("No log-ins yet."),
    )


@register_panel(Company, _("Log-ins"), permission="accounts.view_loginlog")
def _logins_of_company(company: Company) -> SafeString:
    rows = LoginLog.objects.filter(company=company).order_by("-created_at", "-id")[:ROWS]
    cells = [
        (render_link(row, row.email), choice_text(row, "status"), row.reason or "–", row.ip or "–", row.created_at)
        for row in rows
    ]
    return render_table(
        (_("Email"), _("Status"), _("Reason"), _("IP address"), _("Time")),
        cells,
        more=list_address(LoginLog, company__id__exact=company.pk),
        empty=_("No log-ins yet."),
    )
