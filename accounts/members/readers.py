"""Readers of the members' pages: the person of the browser's session, with their membership (core.web.readers)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
from django.core.cache import cache
from django.http import HttpRequest

from accounts.auth.sessions import browser_sessions
from accounts.auth.sessions.authentication import session_user
from accounts.auth.sessions.browser_sessions import COMPANY
from accounts.members.authentication import MEMBER_IN_SESSION, member_actor, member_in_session
from accounts.members.models import Member
from accounts.settings.branding import Look, brand_colors, brand_of, served_company
from accounts.settings.formats import formats_of
from accounts.users.models import User
from core.access import Actor, AuthPath
from core.errors import InvalidToken
from core.ids import is_id
from core.tenancy import unscoped
from core.text.formats import Formats
from core.text.timezones import is_timezone
from core.types import JsonObject
from core.web.navigation.menu import start_path
from core.web.readers import NoSession, Reader

LOOK_KNOWN_FOR = 10
"""Seconds."""
WORKING = (Member.Status.OWNER, Member.Status.ACCEPTED)
READING = MEMBER_IN_SESSION.format(
    columns="member.id, member.status, role.permission, role.record_scope, role.name, account.name, account.email,"
    " account.layout, account.columns,"
    " (SELECT company.name FROM accounts_company AS company WHERE company.id = member.company_id)",
    key="company_id",
)


class Browsers:
    """The source of readers: the sessions of browsers."""

    def member(self, request: HttpRequest, company_id: str) -> Reader | None:
        claims = _claims(request)
        reader = self._member(claims, company_id) if is_id(company_id) else None
        if reader is None:
            _user(claims)
            return None
        browser_sessions.note_use(request, claims["sid"])
        if request.session.get(COMPANY) != company_id:
            request.session[COMPANY] = company_id
        return reader

    def person(self, request: HttpRequest) -> Reader:
        claims = _claims(request)
        last = served_company() or request.session.get(COMPANY)
        reader = self._member(claims, last) if last else None
        if reader is None:
            user = _user(claims)
            layout = _layout(user.layout)
            served = served_company()
            reader = Reader(_person(claims), user.get_full_name(), user.email, layout)
            if served:  # the host is a company's, of which they are no member
                reader = replace(reader, company=brand_of(None).name, look=_cached_look(served))
        browser_sessions.note_use(request, claims["sid"])
        return reader

    def renew(self, request: HttpRequest, access_token: str) -> None:
        browser_sessions.renew(request, access_token)

    def _member(self, claims: JsonObject, company_id: str) -> Reader | None:
        with unscoped(reason="authentication: the address says which company it is"):
            row = member_in_session(READING, company_id, claims)
        if row is None or row[1] not in WORKING:
            return None
        member_id, status, permission, record_scope, role, name, email, layout, columns, company = row
        layout = _layout(orjson.loads(layout))
        return Reader(
            person=_person(claims),
            name=name or email,
            email=email,
            layout=layout,
            columns=_layout(orjson.loads(columns)),
            member=member_actor(claims["sub"], company_id, member_id, status, permission, record_scope),
            company=company,
            role="Owner" if status == Member.Status.OWNER else role,
            formats=_formats(company_id, layout),
            look=_cached_look(company_id),
        )


def _person(claims: JsonObject) -> Actor:
    return Actor(AuthPath.PRIVATE, claims["sub"], session_id=claims["sid"])


def _claims(request: HttpRequest) -> JsonObject:
    claims = browser_sessions.claims_of(request)
    if claims is None:
        raise NoSession
    return claims


def _user(claims: JsonObject) -> User:
    try:
        return session_user(claims)
    except InvalidToken:
        raise NoSession from None


def _formats(company: str, layout: JsonObject) -> Formats:
    """Return the company's formats, with the person's own time zone if they have chosen one."""
    zone = layout.get("timezone")
    formats = formats_of(company)
    return replace(formats, timezone=zone) if isinstance(zone, str) and is_timezone(zone) else formats


def _cached_look(company: str) -> Look:
    """Return the company's brand, cached for seconds. The editor sees changes at once
    (outreach.site.white_label.brands.forget)."""
    look: Look | None = cache.get_or_set(f"look:{company}", lambda: brand_colors(company), LOOK_KNOWN_FOR)
    return look or brand_colors(company)


def _layout(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def is_session_of(request: HttpRequest, user: User) -> bool:
    """Return whether the browser's session is the person's."""
    try:
        return bool(_user(_claims(request)).pk == user.pk)
    except NoSession:
        return False


def landing(request: HttpRequest) -> str:
    """Return where the person goes after the log-in: the company they worked in last, their first one, or themselves.

    Raises NoSession.
    """
    claims = _claims(request)
    user = _user(claims)
    with unscoped(reason="log-in: the companies of one user"):
        members = Member.objects.filter(user_id=user.pk, status__in=WORKING).order_by("created_at", "pk")
        companies = list(members.values_list("company_id", flat=True)[:100])
    served = served_company()
    companies = [candidate for candidate in companies if served in ("", candidate)]
    last = request.session.get(COMPANY)
    company = last if last in companies else next(iter(companies), None)
    return f"/c/{company}/{start_path(_layout(user.layout))}" if company else "/account"
