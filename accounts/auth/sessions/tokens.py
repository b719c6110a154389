"""Session tokens: a JWT of an hour, and a refresh token of 30 days that rotates (design section 3)."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import jwt
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, QuerySet
from django.utils import timezone

from accounts.auth.models import RefreshToken
from accounts.users.models import User
from core.access.callers import Caller
from core.crypto import lookup_hash
from core.errors import InvalidToken
from core.ids import is_id, new_id
from core.types import JsonObject

ALGORITHM = "HS256"
CLAIMS = ("sub", "iat", "exp", "jti", "ver", "sid")
"""`ver` is the user's session version, `sid` the family of refresh tokens that continue the session."""


@dataclass(frozen=True)
class Tokens:
    """The tokens of a login; `expires_in` in seconds."""

    access: str
    refresh: str
    expires_in: int


NOBODY = Caller()


def issue(user: User, *, family: str | None = None, caller: Caller = NOBODY) -> Tokens:
    """Issue a pair of tokens for the user to the caller, in a new family unless one is given."""
    now = timezone.now()
    family = family or new_id()
    refresh = secrets.token_urlsafe(48)
    RefreshToken.objects.create(
        user=user,
        token_hash=lookup_hash(refresh),
        family=family,
        session_version=user.session_version,
        expires_at=now + settings.REFRESH_TOKEN_LIFETIME,
        ip=caller.ip,
        user_agent=caller.user_agent,
    )
    until = now + settings.ACCESS_TOKEN_LIFETIME
    claims = {"sub": user.pk, "iat": now, "exp": until, "jti": new_id(), "ver": user.session_version, "sid": family}
    # A signed token saves no query: `is_open` still asks for its session, so
    # that a log-out takes effect at once.
    access = jwt.encode(claims, settings.SECRET_KEY, algorithm=ALGORITHM)
    return Tokens(access, refresh, int(settings.ACCESS_TOKEN_LIFETIME.total_seconds()))


def read_access(token: str) -> JsonObject:
    """Return the claims of a validly signed access token that has not expired. Raises InvalidToken.

    `is_open` returns whether its session is still open.
    """
    try:
        # The algorithm is fixed here and not read from the token's header, which
        # would allow "none" (RFC 8725, 3.1).
        claims = jwt.decode(token, settings.SECRET_KEY, algorithms=[ALGORITHM], options={"require": list(CLAIMS)})
    except jwt.ExpiredSignatureError as error:
        raise InvalidToken("the token has expired; get a new one by POST /api/public/refresh") from error
    except jwt.InvalidTokenError as error:
        raise InvalidToken("the token is not one of ours") from error
    # A signature proves who wrote the claims, not their form. Other forms
    # would make the query fail with a 500.
    if not (is_id(claims["sub"]) and is_id(claims["sid"])):
        raise InvalidToken("the token is not one of ours")
    return claims


def is_open(claims: JsonObject) -> Exists:
    """Return the condition that the claims' session has not been ended, for the query that reads its user."""
    return Exists(RefreshToken.objects.filter(family=claims["sid"], user_id=claims["sub"], revoked_at__isnull=True))


def rotate(refresh: str, *, caller: Caller = NOBODY) -> tuple[User, Tokens]:
    """Exchange a refresh token for a new pair. A second use of one ends its family, since it has been stolen."""
    with transaction.atomic():
        row = _lock_session(RefreshToken.objects.filter(token_hash=lookup_hash(refresh)))
        if row is None:
            raise InvalidToken("the refresh token is unknown")
        # Rotation as RFC 9700 (4.14.2) describes it: the second to come with a
        # token is a thief, or was robbed by one.
        if row.used_at is None and row.revoked_at is None:
            if (
                row.expires_at <= timezone.now()
                # A new password raises the version. Without this check, an older
                # token would bring its session back.
                or row.session_version != row.user.session_version
                or not row.user.is_active
            ):
                raise InvalidToken("the refresh token has expired")
            row.used_at = timezone.now()
            row.save(update_fields=["used_at", "updated_at"])
            return row.user, issue(row.user, family=row.family, caller=caller)
        _revoke(row.family)
    # Raised after the transaction, or its rollback would leave the stolen session open.
    raise InvalidToken("the refresh token was used before; its session has been ended")


def revoke(refresh: str) -> None:
    """End the session of a refresh token. Ignores an unknown one."""
    with transaction.atomic():
        row = _lock_session(RefreshToken.objects.filter(token_hash=lookup_hash(refresh)))
        if row is not None:
            _revoke(row.family)


def revoke_family(family: str) -> None:
    """End a session: its tokens stop working at once."""
    with transaction.atomic():
        if _lock_session(RefreshToken.objects.filter(family=family)) is not None:
            _revoke(family)


def revoke_others(user_id: str, family: str) -> int:
    """End all sessions of the user but this one, at once. Returns how many there were."""
    with transaction.atomic():
        # The user's row is the one lock of all their sessions: a rotation that runs at the same time
        # would add a token that this update does not see.
        User.objects.select_for_update(no_key=True).filter(pk=user_id).first()
        rows = RefreshToken.objects.filter(user_id=user_id, revoked_at__isnull=True).exclude(family=family)
        count = open_sessions(user_id).exclude(family=family).count()
        now = timezone.now()
        rows.update(revoked_at=now, updated_at=now)
    return count


def open_sessions(user_id: str) -> QuerySet[RefreshToken]:
    """Return the newest token of each open session of the user."""
    unused = RefreshToken.objects.filter(user_id=user_id, used_at__isnull=True, revoked_at__isnull=True)
    return unused.filter(expires_at__gt=timezone.now(), session_version=F("user__session_version"))


def _revoke(family: str) -> None:
    now = timezone.now()
    RefreshToken.objects.filter(family=family, revoked_at__isnull=True).update(revoked_at=now, updated_at=now)


def _lock_session(rows: QuerySet[RefreshToken]) -> RefreshToken | None:
    """Lock the rows' user, so that no session is renewed while it ends. Returns the first row as it is then."""
    user_id = rows.values_list("user_id", flat=True).first()
    if user_id is None:
        return None
    user = User.objects.select_for_update(no_key=True).filter(pk=user_id).first()
    # Read again after the lock: another request may have used the token while this one waited.
    row = rows.first()
    if user is None or row is None:
        return None
    row.user = user
    return row
