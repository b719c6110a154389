"""Logins and sessions."""

from __future__ import annotations

from enum import StrEnum

from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.db import transaction
from django.utils import timezone

from accounts.auth.limits import REFUSALS_LOGGED, count_login, forget_failed_logins
from accounts.auth.models import RefreshToken
from accounts.auth.sessions import tokens
from accounts.auth.sessions.tokens import Tokens
from accounts.auth.timing import minimum_duration
from accounts.auth.verification.services import send_verification
from accounts.login_log.models import LoginLog
from accounts.login_log.services import record_login
from accounts.users.models import User
from core.access.attempts import TooManyAttempts
from core.access.callers import Caller
from core.errors import NamedError
from core.ids import min_id_at

MAX_PURGED = 10_000


class Failure(StrEnum):
    """The reason of a failed log-in, as the login log keeps it. Callers learn none."""

    UNKNOWN = "unknown address"
    PASSWORD = "wrong password"  # noqa: S105  no secret
    INACTIVE = "the account is deactivated"
    UNVERIFIED = "the address is not verified"


def log_in(*, email: str, password: str, caller: Caller) -> tuple[User, Tokens]:
    """Start a session for the address and its password.

    Raises InvalidCredentials_400 for anything wrong, including an unknown, unverified or deactivated account, and
    TooManyAttempts.
    """
    # No early return for an unknown address: all cases take the same way, and so the same time.
    user = User.objects.filter(email=email).first()
    count_attempt(email=email, user=user, caller=caller)
    failure = _check(user, password)
    if user is None or failure is not None:
        with minimum_duration(0.2):
            record_login(email=email, user=user, status=LoginLog.Status.FAILED, reason=failure or "", caller=caller)
            if user is not None and failure is Failure.UNVERIFIED:
                send_verification(user)
        raise NamedError("InvalidCredentials_400", "email or password is wrong, or the address is not verified yet")
    forget_failed_logins(email, caller.network)
    return user, sign_in(user=user, caller=caller)


def count_attempt(*, email: str, user: User | None, caller: Caller) -> None:
    """Count an attempt to log in.

    Raises TooManyAttempts, and logs that as long as the address has not filled the login log.
    """
    try:
        count_login(email, caller.network)
    except TooManyAttempts:
        # An attacker must not be able to fill the table by attempts that are refused anyway.
        if REFUSALS_LOGGED.try_count(caller.network):
            record_login(
                email=email, user=user, status=LoginLog.Status.LIMITED, reason="too many attempts", caller=caller
            )
        raise


def _check(user: User | None, password: str) -> Failure | None:
    """Return the reason why the password does not open the account; None if it does.

    Every case hashes once, so that the response time reveals nothing.
    """
    if user is None:
        # Hashes for nothing, since the answer for an unknown address would otherwise come sooner.
        make_password(password)
        return Failure.UNKNOWN
    encoded = user.password

    # Django calls this where the stored hash has fewer iterations than today's settings ask for.
    def rehash(raw: str) -> None:  # set_password would end the open sessions
        User.objects.filter(pk=user.pk, password=encoded).update(password=make_password(raw))

    if not check_password(password, encoded, rehash):
        return Failure.PASSWORD
    # Checked after the password: otherwise anybody could find out which accounts are deactivated.
    if not user.is_active:
        return Failure.INACTIVE
    return None if user.email_verified_at else Failure.UNVERIFIED


@transaction.atomic
def sign_in(*, user: User, caller: Caller, reason: str = "") -> Tokens:
    """Start a session for a user who has proved their identity."""
    user.last_login = timezone.now()
    # Only this column: a save of the whole row could undo a change that another request makes at the same time.
    User.objects.filter(pk=user.pk).update(last_login=user.last_login)
    record_login(email=user.email, user=user, status=LoginLog.Status.SUCCESS, reason=reason, caller=caller)
    return tokens.issue(user, caller=caller)


def end_family(*, family: str) -> None:
    """End one session: its tokens stop working at once."""
    tokens.revoke_family(family)


def end_session(*, user_id: str, session_id: str) -> None:
    """End one of the user's own sessions. Raises SessionNotFound_404."""
    if not tokens.open_sessions(user_id).filter(family=session_id).exists():
        raise NamedError("SessionNotFound_404")
    tokens.revoke_family(session_id)


def end_other_sessions(*, user_id: str, session_id: str) -> int:
    """End all sessions of the user but this one. Returns how many there were."""
    return tokens.revoke_others(user_id, session_id)


def purge_refresh_tokens() -> bool:
    """Delete expired refresh tokens.

    An expired one is as old as a token may get, so that only the smallest ids are read.
    """
    now = timezone.now()
    # Ids begin with the time of their creation, so that the primary key serves as an index on the age.
    old = RefreshToken.objects.filter(pk__lt=min_id_at(now - settings.REFRESH_TOKEN_LIFETIME), expires_at__lte=now)
    ids = list(old.order_by("pk").values_list("pk", flat=True)[:MAX_PURGED])
    RefreshToken.objects.filter(pk__in=ids).delete()
    return len(ids) == MAX_PURGED
