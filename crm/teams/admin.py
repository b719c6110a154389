from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.panels import register_panel, render_table
from core.backoffice.references import register_event_kind, register_references
from core.text.translation import gettext_lazy as _
from crm.teams.models import Team, TeamMember


@admin.register(Team)
class TeamAdmin(CompanyRecordAdmin):
    """Teams; the company changes their members."""

    icon = "groups"
    edits = ("name", "description", "color")
    list_display = ("name", "company", "is_default", "description", "created_at")
    list_filter = (BY_COMPANY, "is_default")
    search_fields = ("=id", "name")


@register_panel(Team, _("Members"))
def _members(team: Team) -> SafeString:
    links = TeamMember.objects.filter(team=team).select_related("member").order_by("member__name", "pk")[:100]
    rows = [
        (
            link.member.name,
            link.member.email,
            link.member.status,
            "yes" if link.is_available else "no",
            link.last_assigned_at,
        )
        for link in links
    ]
    return render_table(
        (_("Name"), _("Email"), _("Membership"), _("Receives leads"), _("Last assigned")),
        rows,
        empty=_("No members."),
    )


register_references(Team, "team", "teams")
register_event_kind(Team, "team")
