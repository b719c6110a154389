"""The authentication class of users without a company, and the checks of every session (contract section 5)."""

from __future__ import annotations

from typing import Any

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.auth.sessions.tokens import is_open, read_access
from accounts.users.models import User
from core.access import Actor, AuthPath
from core.errors import InvalidToken
from core.types import JsonObject


def session_claims(request: Request) -> JsonObject:
    """Return the claims of the bearer token. Raises InvalidToken."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token:
        raise InvalidToken("send the header Authorization: Bearer <token>")
    return read_access(token.strip())


def session_user(claims: JsonObject) -> User:
    """Return the user of an open session. Raises InvalidToken."""
    user = User.objects.filter(
        is_open(claims), pk=claims["sub"], is_active=True, session_version=version_of(claims)
    ).first()
    if user is None:
        raise InvalidToken("the session has been ended")
    return user


def version_of(claims: JsonObject) -> int:
    """Return the session version of the claims, or -1, which no user has, for a malformed one."""
    version = claims["ver"]
    # bool is a subclass of int, and PostgreSQL refuses a number beyond its integer with an error.
    return version if type(version) is int and 0 <= version < 2**31 else -1


class PrivateAuthentication(BaseAuthentication):
    """Header `Authorization: Bearer <session JWT>` alone: the user acts for no company."""

    def authenticate(self, request: Request) -> tuple[Any, Actor]:
        claims = session_claims(request)
        user = session_user(claims)
        return user, Actor(AuthPath.PRIVATE, user.pk, session_id=claims["sid"])

    def authenticate_header(self, request: Request) -> str:
        # With this method DRF answers 401. Without it, it would answer 403 to a request without credentials.
        return 'Bearer realm="leadwright"'
