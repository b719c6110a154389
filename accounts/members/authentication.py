"""The authentication class of sessions in a company (contract section 5, design section 3)."""

from __future__ import annotations

from typing import Any

import orjson
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.auth.sessions.authentication import session_claims, session_user, version_of
from accounts.members.models import Member
from core.access import Actor, AuthPath, own_modules
from core.errors import InvalidToken
from core.ids import is_id
from core.tenancy import unscoped
from core.tenancy.postgresql.cursors import planned_cursor
from core.types import JsonObject

# Raw SQL, planned once for each session of the database, since every request of a member runs it: building and planning
# it would take as long as a small request.
MEMBER_IN_SESSION = """
SELECT {columns}
FROM accounts_member AS member JOIN accounts_user AS account ON account.id = member.user_id
    LEFT JOIN accounts_role AS role ON role.id = member.role_id
WHERE member.{key} = %(key)s AND member.user_id = %(user)s
    AND account.is_active AND account.session_version = %(version)s
    AND EXISTS (SELECT FROM accounts_refreshtoken AS token
        WHERE token.family = %(session)s AND token.user_id = %(user)s AND token.revoked_at IS NULL)
"""
ACTING = MEMBER_IN_SESSION.format(
    columns="member.company_id, member.status, role.permission, role.record_scope", key="id"
)


def member_in_session(statement: str, key: str, claims: JsonObject) -> Any:
    """Return the row of the membership of the claims' user, or None if it isn't theirs or their session has ended.

    `statement` is built from MEMBER_IN_SESSION. Read it unscoped.
    """
    values = {"key": key, "user": claims["sub"], "version": version_of(claims), "session": claims["sid"]}
    with planned_cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()


def member_actor(
    user_id: str, company_id: str, member_id: str, status: str, permission: str | None, record_scope: str | None
) -> Actor:
    """Return the actor of a membership; `permission` and `record_scope` are the JSON of its role."""
    return Actor(
        AuthPath.SESSION,
        user_id,
        company_id,
        member_id,
        is_owner=status == Member.Status.OWNER,
        is_accepted=status == Member.Status.ACCEPTED,
        permissions=orjson.loads(permission) if permission else {},
        own_modules=own_modules(orjson.loads(record_scope) if record_scope else {}),
    )


class SessionAuthentication(BaseAuthentication):
    """Header `Authorization: Bearer <session JWT>` with `authmember`, the _id of the user's member that acts."""

    def authenticate(self, request: Request) -> tuple[Any, Actor]:
        claims = session_claims(request)
        member_id = request.headers.get("authmember", "")
        if not is_id(member_id):
            raise InvalidToken("send the header authmember: <member _id>")
        with unscoped(reason="authentication: the member says which company it is"):
            row = member_in_session(ACTING, member_id, claims)
        if row is None:
            session_user(claims)
            raise InvalidToken("authmember is not a membership of yours")
        company_id, status, permission, record_scope = row
        actor = member_actor(claims["sub"], company_id, member_id, status, permission, record_scope)
        return actor, actor

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="leadwright"'
