"""Writes of notifications."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.notifications.models import Notification
from accounts.notifications.selectors import own_notifications
from accounts.request_log.retention import purge
from accounts.users.models import User
from core.errors import NamedError
from core.tenancy import unscoped

OWN = "notifications: one's own, of all companies"
NOTIFICATION_DAYS = 90


def remember(kind: str, text: str, *, members: Sequence[Any], about: tuple[str, str] | None = None) -> None:
    """Write a notification for each member who wants this kind, in the caller's transaction.

    `about` is the resource and the id of the record that it is about.
    """
    resource, record = about or ("", None)
    muting = User.objects.filter(pk__in=[member.user_id for member in members], muted_notices__contains=[kind])
    muted = set(muting.values_list("pk", flat=True))
    Notification.objects.bulk_create(
        Notification(member=member, kind=kind, text=text[:300], resource=resource, record_id=record)
        for member in members
        if member.user_id not in muted
    )


@transaction.atomic
def mark(*, user_id: str, id: str, is_read: bool) -> None:
    """Mark one as read or unread. Raises NotFound_404."""
    with unscoped(reason=OWN):
        read_at = timezone.now() if is_read else None
        if not own_notifications(user_id).filter(pk=id).update(read_at=read_at, updated_at=timezone.now()):
            raise not_found()


@transaction.atomic
def mark_all(*, user_id: str, company_id: str | None) -> int:
    """Mark all unread ones as read, or those of a company. Returns how many there were."""
    with unscoped(reason=OWN):
        unread = own_notifications(user_id).filter(read_at=None)
        if company_id is not None:
            unread = unread.filter(company_id=company_id)
        now = timezone.now()
        return unread.update(read_at=now, updated_at=now)


def purge_notifications() -> bool:
    """Delete notifications older than NOTIFICATION_DAYS. Returns whether there may be more."""
    return purge(Notification, NOTIFICATION_DAYS)


def not_found() -> NamedError:
    return NamedError("NotFound_404", "there is no such notification of yours", field="id")
