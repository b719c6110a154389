"""The suppression list: addresses that are never written to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from core.errors import NamedError, ValidationFailed
from outreach.suppression.addresses import is_address
from outreach.suppression.models import Suppression


def suppress_address(
    *,
    email: str,
    reason: str = Suppression.Reason.MANUAL,
    source: str = "",
    details: dict[str, Any] | None = None,
    member_id: str | None = None,
) -> Suppression:
    """Add the address to the list, in lower case. A listed address keeps its first reason."""
    email = email.strip().lower()
    if not is_address(email) or len(email) > 254:
        raise ValidationFailed("email is no e-mail address", f"email: {email[:100]!r} is no e-mail address")
    found, _ = Suppression.objects.get_or_create(
        email=email, defaults={"reason": reason, "source": source, "details": details or {}, "created_by_id": member_id}
    )
    return found


@transaction.atomic
def delete_suppressions(*, ids: Sequence[str]) -> int:
    """Remove addresses from the list. Raises NotFound_404 when no id is listed.

    An unsubscribed contact stays unsubscribed.
    """
    deleted, _ = Suppression.objects.filter(pk__in=ids).delete()
    if not deleted:
        raise NamedError("NotFound_404", "ids: none of them is on this company's list")
    return deleted
