"""Session tokens: a JWT of an hour, and a refresh token of 30 days that rotates (design section 3)."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

import jwt
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import RefreshToken, User
from core.crypto import lookup_hash
from core.errors import InvalidToken
from core.ids import new_id

ALGORITHM = "HS256"


@dataclass(frozen=True)
class Tokens:
    """What a login answers; `expires_in` in seconds."""

    access: str
    refresh: str
    expires_in: int


def issue(user: User, *, family: str | None = None) -> Tokens:
    """A fresh pair for the user, in a new family unless one goes on."""
    now = timezone.now()
    refresh = secrets.token_urlsafe(48)
    RefreshToken.objects.create(
        user=user,
        token_hash=lookup_hash(refresh),
        family=family or new_id(),
        session_version=user.session_version,
        expires_at=now + settings.REFRESH_TOKEN_LIFETIME,
    )
    claims = {"sub": user.pk, "iat": now, "exp": now + settings.ACCESS_TOKEN_LIFETIME, "jti": new_id(), "ver": user.session_version}
    access = jwt.encode(claims, settings.SECRET_KEY, algorithm=ALGORITHM)
    return Tokens(access, refresh, int(settings.ACCESS_TOKEN_LIFETIME.total_seconds()))


def read_access(token: str) -> dict[str, Any]:
    """The claims of a valid access token; raises InvalidToken."""
    try:
        return jwt.decode(token, settings.SECRET_KEY, algorithms=[ALGORITHM], options={"require": ["sub", "iat", "exp", "jti", "ver"]})
    except jwt.InvalidTokenError as error:
        raise InvalidToken(f"{type(error).__name__}: {error}") from error


def rotate(refresh: str) -> Tokens:
    """Exchange a refresh token for a fresh pair. A second use of one ends its family, since somebody else has it then."""
    with transaction.atomic():
        row = RefreshToken.objects.select_for_update().select_related("user").filter(token_hash=lookup_hash(refresh)).first()
        if row is None:
            raise InvalidToken("the refresh token is unknown")
        if row.used_at is None and row.revoked_at is None:
            if row.expires_at <= timezone.now() or row.session_version != row.user.session_version or not row.user.is_active:
                raise InvalidToken("the refresh token has expired")
            row.used_at = timezone.now()
            row.save(update_fields=["used_at", "updated_at"])
            return issue(row.user, family=row.family)
        RefreshToken.objects.filter(family=row.family, revoked_at__isnull=True).update(revoked_at=timezone.now())
    raise InvalidToken("the refresh token was used before; its session has been ended")


def revoke(refresh: str) -> None:
    """End the family of a refresh token; an unknown one is no error."""
    row = RefreshToken.objects.filter(token_hash=lookup_hash(refresh)).first()
    if row is not None:
        RefreshToken.objects.filter(family=row.family, revoked_at__isnull=True).update(revoked_at=timezone.now())
