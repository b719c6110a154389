"""The company's page: what its people, keys and settings are, and what happened there lately."""

from __future__ import annotations

from django.utils.safestring import SafeString

from accounts.api_keys.models import ApiKey
from accounts.companies.models import Company
from accounts.members.models import InviteLog, Member
from accounts.request_log.models import LoginLog, ServerLog
from accounts.settings.models import CompanySettings
from accounts.staff_visits.admin import STATES
from accounts.staff_visits.models import StaffVisit
from core.backoffice.panels import ROWS, facts, link, list_address, panel, table


@panel(Company, "Members", permission="accounts.view_member")
def _members(company: Company) -> SafeString:
    rows = Member.objects.filter(company=company).select_related("user", "role").order_by("id")
    cells = [
        (
            link(row, row.name or row.email),
            row.email,
            row.get_status_display(),
            row.role or "–",
            row.accepted_at or row.created_at,
        )
        for row in rows[:ROWS]
    ]
    return table(
        ("Name", "E-mail", "Status", "Role", "Since"), cells, more=list_address(Member, company__id__exact=company.pk)
    )


@panel(Company, "Settings", permission="accounts.view_companysettings")
def _settings(company: Company) -> SafeString:
    found = CompanySettings.objects.filter(company=company).first()
    shown = found or CompanySettings()
    return facts(
        [
            ("Product name", shown.app_name or company.name),
            ("Currency", shown.currency),
            ("Dates", f"{shown.date_format} {shown.time_format}"),
            ("Time zone", company.timezone),
            ("Links", ", ".join(sorted(network for network, address in shown.links.items() if address)) or "none"),
            ("Notices changed", len(shown.notification_settings) or "none"),
            ("Settings", link(found, "Show") if found else "never changed"),
        ]
    )


@panel(Company, "API keys", permission="accounts.view_apikey")
def _keys(company: Company) -> SafeString:
    rows = ApiKey.objects.filter(company=company).select_related("created_by").defer("key").order_by("-id")
    cells = [
        (
            link(row),
            row.get_type_display(),
            row.get_ip_restriction_display(),
            row.created_by,
            row.created_at,
            row.last_used_at or "never",
        )
        for row in rows[:ROWS]
    ]
    return table(
        ("Key", "Type", "Addresses", "Made by", "Made", "Last used"),
        cells,
        more=list_address(ApiKey, company__id__exact=company.pk),
    )


@panel(Company, "Requests", permission="accounts.view_serverlog")
def _requests(company: Company) -> SafeString:
    rows = ServerLog.objects.filter(company=company).select_related("member").order_by("-created_at", "-id")[:ROWS]
    cells = [
        (
            link(row, f"{row.method} {row.path}"),
            row.status,
            f"{row.duration_ms:,.0f} ms",
            row.door,
            row.member or "–",
            row.created_at,
        )
        for row in rows
    ]
    return table(
        ("Request", "Status", "Took", "Door", "By", "When"),
        cells,
        more=list_address(ServerLog, company__id__exact=company.pk),
        empty="Nobody has called the API.",
    )


@panel(Company, "Logins", permission="accounts.view_loginlog")
def _logins(company: Company) -> SafeString:
    rows = LoginLog.objects.filter(company=company).order_by("-created_at", "-id")[:ROWS]
    cells = [
        (link(row, row.email), row.get_status_display(), row.reason or "–", row.ip or "–", row.created_at)
        for row in rows
    ]
    return table(
        ("Who", "Status", "Reason", "From", "When"),
        cells,
        more=list_address(LoginLog, company__id__exact=company.pk),
        empty="Nobody has logged in.",
    )


@panel(Company, "Invites", permission="accounts.view_invitelog")
def _invites(company: Company) -> SafeString:
    rows = (
        InviteLog.objects.filter(company=company)
        .select_related("action_by", "role")
        .order_by("-created_at", "-id")[:ROWS]
    )
    cells = [
        (
            link(row, row.email),
            row.get_action_display(),
            row.role or "–",
            row.action_by or "–",
            row.detail or "–",
            row.created_at,
        )
        for row in rows
    ]
    return table(
        ("Who", "What", "Role", "By", "Detail", "When"),
        cells,
        more=list_address(InviteLog, company__id__exact=company.pk),
        empty="Nobody has been invited.",
    )


@panel(Company, "Visits", permission="accounts.view_staffvisit")
def _visits(company: Company) -> SafeString:
    rows = StaffVisit.objects.filter(company=company).select_related("staff").order_by("-created_at")[:ROWS]
    cells = [(link(row, f"{row.created_at:%Y-%m-%d %H:%M}"), row.staff, row.reason, STATES[row.state]) for row in rows]
    return table(
        ("When", "Who", "Reason", "State"),
        cells,
        more=list_address(StaffVisit, company__id__exact=company.pk),
        empty="No staff member has looked at this company.",
    )
