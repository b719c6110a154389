"""Ending sessions."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import RefreshToken, User


@transaction.atomic
def end_sessions(*, user_id: str) -> None:
    """End every session of the user: access tokens stop working at once, refresh tokens for good."""
    now = timezone.now()
    User.objects.filter(pk=user_id).update(session_version=F("session_version") + 1, updated_at=now)
    RefreshToken.objects.filter(user_id=user_id, revoked_at__isnull=True).update(revoked_at=now, updated_at=now)


def end_family(*, family: str) -> None:
    """End one session: its refresh tokens work no more, its access token runs out within the hour."""
    now = timezone.now()
    RefreshToken.objects.filter(family=family, revoked_at__isnull=True).update(revoked_at=now, updated_at=now)
