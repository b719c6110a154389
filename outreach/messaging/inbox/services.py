"""Actions of members on received mail: mark it as read, delete it."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from core.errors import NamedError
from outreach.messaging.inbox.models import InboundMessage

NOT_FOUND = "NotFound_404"


def not_found() -> NamedError:
    """Return the error for an id that belongs to no mail in the company's inbox."""
    return NamedError(NOT_FOUND, "there is no such mail in this company's inbox", field="id")


def mark(*, id: str, is_read: bool) -> None:
    """Mark a mail as read or unread. Raises NotFound_404."""
    now = timezone.now()
    if not InboundMessage.objects.filter(pk=id).update(read_at=now if is_read else None, updated_at=now):
        raise not_found()


def delete_mail(*, ids: Sequence[str]) -> int:
    """Delete received mail. Its effects remain. Raises NotFound_404 when no id is in the inbox."""
    deleted, _ = InboundMessage.objects.filter(pk__in=ids).delete()
    if not deleted:
        raise not_found()
    return deleted
