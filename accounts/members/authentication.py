"""The authentication class of sessions in a company (contract section 5, design section 3)."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.auth.authentication import session_claims, session_user, version_of
from accounts.auth.tokens import is_open
from accounts.members.models import Member
from core.access import Actor, AuthPath
from core.errors import InvalidToken
from core.ids import is_id
from core.tenancy import unscoped


def members_in_session(claims: dict[str, Any]) -> QuerySet[Member]:
    """Return the memberships of the user of the claims, as long as their session is open (to be read unscoped)."""
    members = Member.objects.filter(is_open(claims), user_id=claims["sub"])
    return members.filter(user__is_active=True, user__session_version=version_of(claims))


def member_actor(user_id: str, company_id: str, member_id: str, status: str, permissions: Any) -> Actor:
    """Return the actor of a membership."""
    return Actor(
        AuthPath.SESSION,
        user_id,
        company_id,
        member_id,
        is_owner=status == Member.Status.OWNER,
        is_accepted=status == Member.Status.ACCEPTED,
        permissions=permissions or {},
    )


class SessionAuthentication(BaseAuthentication):
    """Header `Authorization: Bearer <session JWT>` with `authmember`, the _id of the user's member that acts."""

    def authenticate(self, request: Request) -> tuple[Any, Actor]:
        claims = session_claims(request)
        member_id = request.headers.get("authmember", "")
        if not is_id(member_id):
            raise InvalidToken("send the header authmember: <member _id>")
        with unscoped(reason="authentication: the member says which company it is"):
            members = members_in_session(claims).filter(pk=member_id)
            found = members.values_list("company_id", "status", "role__permission").first()
        if found is None:
            session_user(claims)
            raise InvalidToken("authmember is not a membership of yours")
        company_id, status, permissions = found
        actor = member_actor(claims["sub"], company_id, member_id, status, permissions)
        return actor, actor

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="leadwright"'
