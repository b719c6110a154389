"""Who reads the members' pages: the person of the browser's session, and their membership (core.web.readers)."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from accounts.auth import browser_sessions
from accounts.auth.authentication import session_user
from accounts.auth.browser_sessions import COMPANY
from accounts.members.authentication import member_actor, members_in_session
from accounts.members.models import Member
from accounts.settings.formats import formats_of
from accounts.users.models import User
from core.access import Actor, AuthPath
from core.errors import InvalidToken
from core.ids import is_id
from core.tenancy import unscoped
from core.web.readers import NoSession, Reader

WORKING = (Member.Status.OWNER, Member.Status.ACCEPTED)
FIELDS = (
    "company_id",
    "pk",
    "status",
    "role__permission",
    "role__name",
    "company__name",
    "user__name",
    "user__email",
    "user__layout",
)


class Browsers:
    """The source of readers: the sessions of browsers."""

    def member(self, request: HttpRequest, company_id: str) -> Reader | None:
        claims = _claims(request)
        found = self._member(claims, company_id) if is_id(company_id) else None
        if found is None:
            _user(claims)
            return None
        if request.session.get(COMPANY) != company_id:
            request.session[COMPANY] = company_id
        return found

    def person(self, request: HttpRequest) -> Reader:
        claims = _claims(request)
        last = request.session.get(COMPANY)
        found = self._member(claims, last) if last else None
        if found is not None:
            return found
        user = _user(claims)
        return Reader(Actor(AuthPath.PRIVATE, user.pk), user.get_full_name(), user.email, _layout(user.layout))

    def renew(self, request: HttpRequest, access_token: str) -> None:
        browser_sessions.renew(request, access_token)

    def _member(self, claims: dict[str, Any], company_id: str) -> Reader | None:
        with unscoped(reason="authentication: the address says which company it is"):
            members = members_in_session(claims).filter(company_id=company_id, status__in=WORKING)
            found = members.values_list(*FIELDS).first()
        if found is None:
            return None
        company, member_id, status, permission, role, company_name, name, email, layout = found
        return Reader(
            person=Actor(AuthPath.PRIVATE, claims["sub"]),
            name=name or email,
            email=email,
            layout=_layout(layout),
            member=member_actor(claims["sub"], company, member_id, status, permission),
            company=company_name,
            role="Owner" if status == Member.Status.OWNER else role,
            formats=formats_of(company),
        )


def _claims(request: HttpRequest) -> dict[str, Any]:
    claims = browser_sessions.claims_of(request)
    if claims is None:
        raise NoSession
    return claims


def _user(claims: dict[str, Any]) -> User:
    try:
        return session_user(claims)
    except InvalidToken:
        raise NoSession from None


def _layout(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def landing(request: HttpRequest) -> str:
    """Return where the person goes after the log-in: the company they worked in last, their first one, or themselves.

    Raises NoSession.
    """
    claims = _claims(request)
    user = _user(claims)
    with unscoped(reason="log-in: the companies of one user"):
        members = Member.objects.filter(user_id=user.pk, status__in=WORKING).order_by("created_at", "pk")
        companies = list(members.values_list("company_id", flat=True)[:100])
    last = request.session.get(COMPANY)
    company = last if last in companies else next(iter(companies), None)
    return f"/c/{company}/" if company else "/account"
