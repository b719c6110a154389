"""Reads of notifications that are more than a filter."""

from __future__ import annotations

from django.db.models import QuerySet

from accounts.notifications.models import Notification
from accounts.settings.notices import NOTICES
from accounts.users.memberships import MembershipStatus
from accounts.users.models import User
from core.types import JsonObject

WORKING = (MembershipStatus.OWNER, MembershipStatus.ACCEPTED)
MAX_UNREAD_COUNT = 100
"""The count of unread ones goes no further."""


def own_notifications(user_id: str) -> QuerySet[Notification]:
    """Return the user's notifications of the companies that they work in (to be read unscoped)."""
    notifications: QuerySet[Notification] = Notification.objects.filter(
        member__user_id=user_id, member__status__in=WORKING
    )
    return notifications


def count_unread(user_id: str, company_id: str | None) -> int:
    """Return how many are unread, of all companies or of one, up to MAX_UNREAD_COUNT (to be read unscoped)."""
    unread = own_notifications(user_id).filter(read_at=None)
    if company_id is not None:
        unread = unread.filter(company_id=company_id)
    return unread.order_by()[:MAX_UNREAD_COUNT].count()


def preferences(user_id: str) -> list[JsonObject]:
    """Return each notice, and whether the person receives it."""
    muted = User.objects.values_list("muted_notices", flat=True).get(pk=user_id)
    return [{"kind": key, "title": notice.title, "isOn": key not in muted} for key, notice in sorted(NOTICES.items())]
