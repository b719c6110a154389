"""The user's page: where the person belongs, and how they got in lately."""

from __future__ import annotations

from django.utils.safestring import SafeString

from accounts.auth.models import User
from accounts.members.models import Member
from accounts.request_log.models import LoginLog
from core.backoffice.panels import ROWS, link, list_address, panel, table


@panel(User, "Memberships", permission="accounts.view_member")
def _memberships(user: User) -> SafeString:
    rows = Member.objects.filter(user=user).select_related("company", "role").order_by("id")[:ROWS]
    cells = [
        (link(row.company), link(row, row.get_status_display()), row.role or "–", row.accepted_at or row.created_at)
        for row in rows
    ]
    return table(
        ("Company", "Status", "Role", "Since"), cells, more=list_address(Member, q=user.email), empty="No company."
    )


@panel(User, "Logins", permission="accounts.view_loginlog")
def _logins(user: User) -> SafeString:
    # An attempt has a row for each company of the user: those of one second from one address are one here.
    rows = LoginLog.objects.filter(user=user).order_by("-created_at", "-id")[: ROWS * 10]
    seen = {(row.created_at.replace(microsecond=0), row.status, row.reason, row.ip): row for row in rows}
    cells = [
        (link(row, row.get_status_display()), row.reason or "–", row.ip or "–", row.user_agent or "–", at)
        for (at, *_), row in seen.items()
    ]
    return table(
        ("Status", "Reason", "From", "Program", "When"),
        cells[:ROWS],
        more=list_address(LoginLog, q=user.email),
        empty="None yet.",
    )
