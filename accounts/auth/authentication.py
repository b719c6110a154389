"""The three authentication classes (of API keys, of sessions in a company, of users alone; contract section 5, design section 3)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.api_keys.models import ApiKey
from accounts.api_keys.services import note_use
from accounts.auth.models import User
from accounts.auth.tokens import is_open, read_access
from accounts.members.models import Member
from core.access import Actor, AuthPath
from core.crypto import lookup_hash
from core.errors import InvalidToken, NamedError
from core.ids import is_id
from core.tenancy import unscoped

MAX_KEY_LENGTH = 256
# By hand, since each request asks it: building the statement takes the ORM a tenth of a small request's whole time.
KEY = """
SELECT api_key.id, api_key.company_id, member.id, member.user_id, api_key.last_used_at,
    api_key.type, api_key.duration_minutes, api_key.created_at
FROM accounts_apikey AS api_key JOIN accounts_member AS member ON member.id = api_key.created_by_id
WHERE api_key.key_hash = %s
"""


class ApiKeyAuthentication(BaseAuthentication):
    """Header `apikey`: the key stands in for the member that made it, whatever has become of the membership."""

    def authenticate(self, request: Request) -> tuple[Any, Actor]:
        for header in ("Authorization", "authmember"):
            if header in request.headers:
                raise NamedError("BadRequest_400", f"the header {header} must not be sent beside apikey on this path")
        key = request.headers.get("apikey", "")
        if not key or len(key) > MAX_KEY_LENGTH:
            raise NamedError("ExpiredSession_401", "send a valid key in the header apikey")
        with unscoped(reason="authentication: the key says which company it is"):
            with connection.cursor() as cursor:
                cursor.execute(KEY, [lookup_hash(key)])
                found = cursor.fetchone()
            if found is None:
                raise NamedError("ExpiredSession_401", "send a valid key in the header apikey")
            key_id, company_id, member_id, user_id, last_used_at, *life = found
            if settings.API_KEY_EXPIRY_ENFORCED and is_expired(*life):
                raise NamedError("ExpiredSession_401", "the temporary key has expired; create a new one")
            note_use(key_id=key_id, last_used_at=last_used_at)
        actor = Actor(AuthPath.KEY, user_id, company_id, member_id, key_id=key_id)
        return actor, actor

    def authenticate_header(self, request: Request) -> str:
        return "apikey"


def is_expired(type: str, duration_minutes: int | None, created_at: datetime) -> bool:
    """Whether a temporary key is past its minutes."""
    if type != ApiKey.Type.TEMPORARY or duration_minutes is None:
        return False
    return created_at + timedelta(minutes=duration_minutes) <= timezone.now()


def session_claims(request: Request) -> dict[str, Any]:
    """The claims of the bearer token; raises InvalidToken."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token:
        raise InvalidToken("send the header Authorization: Bearer <token>")
    return read_access(token.strip())


def session_user(claims: dict[str, Any]) -> User:
    """The user of an open session; raises InvalidToken."""
    user = User.objects.filter(
        is_open(claims), pk=claims["sub"], is_active=True, session_version=version_of(claims)
    ).first()
    if user is None:
        raise InvalidToken("the session has been ended")
    return user


def version_of(claims: dict[str, Any]) -> int:
    """The session version that the claims are of; -1, which no user has, where it is none."""
    version = claims["ver"]
    return version if type(version) is int and 0 <= version < 2**31 else -1


class SessionAuthentication(BaseAuthentication):
    """Header `Authorization: Bearer <session JWT>` with `authmember`, the _id of the user's member that acts."""

    def authenticate(self, request: Request) -> tuple[Any, Actor]:
        claims = session_claims(request)
        member_id = request.headers.get("authmember", "")
        if not is_id(member_id):
            raise InvalidToken("send the header authmember: <member _id>")
        with unscoped(reason="authentication: the member says which company it is"):
            members = Member.objects.filter(is_open(claims), pk=member_id, user_id=claims["sub"])
            members = members.filter(user__is_active=True, user__session_version=version_of(claims))
            found = members.values_list("company_id", "status", "role__permission").first()
        if found is None:
            session_user(claims)
            raise InvalidToken("authmember is not a membership of yours")
        company_id, status, permissions = found
        actor = Actor(
            AuthPath.SESSION,
            claims["sub"],
            company_id,
            member_id,
            is_owner=status == Member.Status.OWNER,
            is_accepted=status == Member.Status.ACCEPTED,
            permissions=permissions or {},
        )
        return actor, actor

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class PrivateAuthentication(BaseAuthentication):
    """A session JWT alone: the user acts for no company."""

    def authenticate(self, request: Request) -> tuple[Any, Actor]:
        user = session_user(session_claims(request))
        return user, Actor(AuthPath.PRIVATE, user.pk)

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"
