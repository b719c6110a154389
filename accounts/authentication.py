"""The three doors that ask who enters (contract section 5, design section 3)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.models import ApiKey, Member, User
from accounts.tokens import read_access
from core.access import Actor, Door
from core.crypto import lookup_hash
from core.errors import InvalidToken, Named
from core.ids import is_id
from core.tenancy import unscoped

MAX_KEY_LENGTH = 256


class ApiKeyAuthentication(BaseAuthentication):
    """Header `apikey`: the key stands in for the member that made it, whatever has become of the membership."""

    def authenticate(self, request: Request) -> tuple[Any, Actor]:
        for header in ("Authorization", "authmember"):
            if header in request.headers:
                raise Named("BadRequest_400", f"the header {header} must not be sent beside apikey on this path")
        key = request.headers.get("apikey", "")
        if not key or len(key) > MAX_KEY_LENGTH:
            raise Named("ExpiredSession_401", "send a valid key in the header apikey")
        with unscoped(reason="authentication: the key says which company it is"):
            keys = ApiKey.objects.filter(key_hash=lookup_hash(key))
            found = keys.values_list("company_id", "created_by_id", "created_by__user_id", "type", "duration_minutes", "created_at").first()
        if found is None:
            raise Named("ExpiredSession_401", "send a valid key in the header apikey")
        company_id, member_id, user_id, *life = found
        if settings.API_KEY_EXPIRY_ENFORCED and is_expired(*life):
            raise Named("ExpiredSession_401", "the temporary key has expired; create a new one")
        actor = Actor(Door.KEY, user_id, company_id, member_id)
        return actor, actor

    def authenticate_header(self, request: Request) -> str:
        return "apikey"


def is_expired(type: str, duration_minutes: int | None, created_at: datetime) -> bool:
    """Whether a temporary key is past its minutes."""
    if type != ApiKey.Type.TEMPORARY or duration_minutes is None:
        return False
    return created_at + timedelta(minutes=duration_minutes) <= timezone.now()


def session_user(request: Request) -> User:
    """The user of the bearer token; raises InvalidToken."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token:
        raise InvalidToken("send the header Authorization: Bearer <token>")
    claims = read_access(token.strip())
    user = User.objects.filter(pk=claims["sub"], is_active=True).first() if is_id(claims["sub"]) else None
    if user is None or user.session_version != claims["ver"]:
        raise InvalidToken("the session has been ended")
    return user


class SessionAuthentication(BaseAuthentication):
    """Header `Authorization: Bearer <session JWT>` with `authmember`, the _id of the user's member that acts."""

    def authenticate(self, request: Request) -> tuple[Any, Actor]:
        user = session_user(request)
        member_id = request.headers.get("authmember", "")
        if not is_id(member_id):
            raise InvalidToken("send the header authmember: <member _id>")
        with unscoped(reason="authentication: the member says which company it is"):
            member = Member.objects.select_related("role").filter(pk=member_id, user_id=user.pk).first()
        if member is None:
            raise InvalidToken("authmember is not a membership of yours")
        return user, Actor(
            Door.SESSION,
            user.pk,
            member.company_id,
            member.pk,
            is_owner=member.status == Member.Status.OWNER,
            is_accepted=member.status == Member.Status.ACCEPTED,
            permissions=member.permissions(),
        )

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class PrivateAuthentication(BaseAuthentication):
    """A session JWT alone: the user acts for no company."""

    def authenticate(self, request: Request) -> tuple[Any, Actor]:
        user = session_user(request)
        return user, Actor(Door.PRIVATE, user.pk)

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"
