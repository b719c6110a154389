"""Back office page of the invite log, and its panel on the page of a company."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from accounts.companies.models import Company
from accounts.members.models import InviteLog
from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.columns import choice_text
from core.backoffice.panels import ROWS, list_address, register_panel, render_link, render_table
from core.text.translation import gettext_lazy as _


@admin.register(InviteLog)
class InviteLogAdmin(CompanyRecordAdmin):
    """Changes of memberships, from the invite on."""

    icon = "history"
    list_display = ("email", "action", "company", "action_by", "role", "detail", "created_at")
    list_filter = (BY_COMPANY, ("action", ChoicesDropdownFilter))
    search_fields = ("=id", "email", "member__name")
    search_help_text = _("Email address, name or id")


@register_panel(Company, _("Invites"), permission="accounts.view_invitelog")
def _invites(company: Company) -> SafeString:
    rows = (
        InviteLog.objects.filter(company=company)
        .select_related("action_by", "role")
        .order_by("-created_at", "-id")[:ROWS]
    )
    cells = [
        (
            render_link(row, row.email),
            choice_text(row, "action"),
            row.role or "–",
            row.action_by or "–",
            row.detail or "–",
            row.created_at,
        )
        for row in rows
    ]
    return render_table(
        (_("Email"), _("Action"), _("Role"), _("By"), _("Details"), _("Time")),
        cells,
        more=list_address(InviteLog, company__id__exact=company.pk),
        empty=_("No invites yet."),
    )
