"""Readers of a company's pages on a visit: staff, in place of a member, while their visit is open."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest
from django.urls import reverse

from accounts.auth.staff.second_factor import is_asked
from accounts.models import Company, StaffVisit
from accounts.settings.branding import brand_colors
from accounts.settings.formats import formats_of
from accounts.staff_visits.services import OVER, PERMISSION, note_page_once, open_visit_of
from core.access import Actor, AuthPath
from core.ids import is_id
from core.web.readers import NoSession, Reader, Source, Visit


def visitor(visit: StaffVisit) -> Actor:
    """Return the visit's actor: on the session path, without a membership."""
    return Actor(AuthPath.SESSION, visit.staff_id, visit.company_id, visiting=True)


SECRETS = frozenset({"code", "state", "token"})
"""Query parameters with secrets of log-ins elsewhere and of links."""


class Visitors:
    """The source of readers that knows visits, before the one that knows members."""

    def __init__(self, members: Source) -> None:
        self._members = members

    def member(self, request: HttpRequest, company_id: str) -> Reader | None:
        staff = is_id(company_id) and _may_visit(request)
        visit = open_visit_of(staff=request.user, company_id=company_id) if staff else None  # type: ignore[arg-type]
        if visit is not None:
            note_page_once(visit=visit, path=_shown_path(request))
            return _reader(visit)
        try:
            return self._members.member(request, company_id)
        except NoSession:
            if staff and Company.objects.filter(pk=company_id).exists():
                messages.error(request, OVER)
                raise NoSession(reverse("admin:accounts_company_change", args=(company_id,))) from None
            raise

    def person(self, request: HttpRequest) -> Reader:
        return self._members.person(request)

    def renew(self, request: HttpRequest, access_token: str) -> None:
        self._members.renew(request, access_token)


def pages_address(visit: StaffVisit) -> str:
    """Return the address of the first page that the visited company's own people see."""
    return f"/c/{visit.company_id}/"


def _shown_path(request: HttpRequest) -> str:
    """Return the address for the log: without its query if that contains a secret."""
    return request.path if SECRETS & request.GET.keys() else request.get_full_path()


def _may_visit(request: HttpRequest) -> bool:
    """Return whether the browser is logged in to the back office as staff who may visit, second factor included."""
    if SESSION_KEY not in request.session or not admin.site.has_permission(request) or is_asked(request.user):
        return False
    return request.user.has_perm(PERMISSION)


def _reader(visit: StaffVisit) -> Reader:
    staff, company = visit.staff, visit.company
    layout: Any = staff.layout if isinstance(staff.layout, dict) else {}
    return Reader(
        person=Actor(AuthPath.PRIVATE, staff.pk),
        name=staff.get_full_name() or staff.email,
        email=staff.email,
        layout={name: layout[name] for name in ("theme", "density") if name in layout},
        member=visitor(visit),
        company=company.name,
        role="Visit",
        formats=formats_of(company.pk),
        visit=Visit(
            visit.reason,
            visit.expires_at,
            end=reverse("staff-visit-end", args=(visit.pk,)),
            records=reverse("staff-visit", args=(visit.pk,)),
        ),
        look=brand_colors(company.pk),
    )
