"""Changes of a user's account."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.users.models import User


@transaction.atomic
def end_sessions(*, user_id: str) -> None:
    """End every session of the user: access tokens and refresh tokens are rejected from now on."""
    now = timezone.now()
    User.objects.filter(pk=user_id).update(session_version=F("session_version") + 1, updated_at=now)
    User(pk=user_id).refresh_tokens.filter(revoked_at__isnull=True).update(revoked_at=now, updated_at=now)
