"""The pages of a staff visit: the company as its members see it, read-only."""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from time import monotonic
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, include, path, reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.models import Member, StaffVisit
from accounts.staff_visits.services import OVER, PERMISSION, end_visit, note_page
from billing.models import Subscription
from config.staff_visits.api_reader import read_endpoint
from config.staff_visits.cells import filled_columns, format_cell, record_entries
from config.staff_visits.resources import TITLES, Resource, find_resources
from config.staff_visits.visitors import pages_address
from core.api.endpoint import Endpoint
from core.api.output import Output
from core.api.routers import Operation
from core.backoffice.columns import choice_text
from core.ids import is_id
from core.tenancy import company_scope
from core.text.labels.words import name_label
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.visits import hide_secrets, nested_output

SIZE = 50
BACK = 20
"""The depth of the links to previous pages. There is always a link to the first page."""
COUNTING = 3.0
"""The seconds that the overview spends on counts. Lists after that have no number."""


@dataclass(frozen=True)
class Visiting:
    """The data that every page of the visit needs."""

    visit: StaffVisit
    resources: list[Resource]

    @property
    def zone(self) -> zoneinfo.ZoneInfo:
        return zoneinfo.ZoneInfo(self.visit.company.timezone)

    def address(self, place: str = "") -> str:
        """Return the page's address. `place` is the path in the API."""
        return reverse("staff-visit", args=(self.visit.pk,)) + place

    def page(self, request: HttpRequest, template: str, context: Values, current: str = "") -> HttpResponse:
        """Render a page. `current` is the path of the list that it belongs to."""
        groups: dict[str, list[dict[str, str]]] = {}
        for resource in self.resources:
            item = {"title": resource.title, "address": self.address(resource.route.path), "path": resource.route.path}
            groups.setdefault(TITLES[resource.app], []).append(item)
        shared = {
            **admin.site.each_context(request),
            "visit": self.visit,
            "company": self.visit.company,
            "overview_address": self.address(),
            "pages_address": pages_address(self.visit),
            "end_address": reverse("staff-visit-end", args=(self.visit.pk,)),
            "groups": groups,
            "current": current,
        }
        return TemplateResponse(request, f"admin/{template}", {**shared, **context})


def visit_urls(operations: Iterable[Operation]) -> list[URLPattern | URLResolver]:
    """Return the addresses of a visit's pages: /admin/visit/<id>/ with the paths of the protected API below."""
    resources = find_resources(operations)
    pages = [
        path("", _visit_page(resources, overview), name="staff-visit"),
        path("end", _ending, name="staff-visit-end"),
    ]
    places: list[tuple[Operation, Callable[..., HttpResponse], Resource]] = []
    for resource in resources:
        places.append((resource.route, list_page, resource))
        if resource.record is not None:
            places.append((resource.record, record_page, resource))
        places += [(sublist.route, list_page, sublist) for sublist in resource.below]
    # Paths without parameters first: contact/import is not contact/<id>.
    for route, view, resource in sorted(places, key=lambda place: "<" in place[0].path):
        pages.append(path(route.path, _visit_page(resources, view), {"resource": resource}))
    return [path("admin/visit/<str:visit_id>/", include(pages))]


def _own_visit(request: HttpRequest, visit_id: str) -> StaffVisit:
    """Return the visit of the request's user. Others, and staff who may no longer visit, get a 403."""
    visit: StaffVisit | None = (
        StaffVisit.objects.select_related("company", "staff").filter(pk=visit_id).first() if is_id(visit_id) else None
    )
    if visit is None:
        raise Http404("there is no such visit")
    if visit.staff_id != request.user.pk or not request.user.has_perm(PERMISSION):
        raise PermissionDenied
    return visit


def _company_page(visit: StaffVisit) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse("admin:accounts_company_change", args=(visit.company_id,)))


def _visit_page(resources: list[Resource], view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Wrap the view as a page of the back office, for the visit's staff member only. It logs each page."""

    @require_safe
    @wraps(view)
    def enter(request: HttpRequest, visit_id: str, **place: Any) -> HttpResponse:
        visit = _own_visit(request, visit_id)
        if not visit.is_open:
            messages.error(request, OVER)
            return _company_page(visit)
        search = request.GET.get("search", "")
        address = request.path.partition(visit_id)[2] + (f"?search={search}" if search else "")
        note_page(visit=visit, path=address)
        return view(request, Visiting(visit, resources), **place)

    return admin.site.admin_view(enter)


@require_POST
def end(request: HttpRequest, visit_id: str) -> HttpResponse:
    """End the visit."""
    visit = _own_visit(request, visit_id)
    if end_visit(visit=visit):
        messages.success(request, "The visit has ended")
    return _company_page(visit)


_ending = admin.site.admin_view(end)


def overview(request: HttpRequest, visiting: Visiting) -> HttpResponse:
    """Show the company's members, its plan, and the number of its records of each kind."""
    visit = visiting.visit
    with company_scope(visit.company_id):
        members = list(Member.objects.select_related("role").order_by("id")[:SIZE])
        subscription = Subscription.objects.select_related("plan").filter(is_primary=True).first()
    context = {
        "title": visit.company.name,
        "members": [(member, choice_text(member, "status")) for member in members],
        "more_members": len(members) == SIZE,
        "subscription": subscription,
        "subscription_status": choice_text(subscription, "status") if subscription else "",
        "counts": _counts(visiting),
    }
    return visiting.page(request, "visit_overview.html", context)


def _counts(visiting: Visiting) -> list[JsonObject]:
    """Count the records of each list, until COUNTING seconds have passed."""
    deadline = monotonic() + COUNTING
    counts = []
    for resource in visiting.resources:
        in_time = monotonic() < deadline
        answer = read_endpoint(resource.route, visiting.visit, {"p": "1", "n": "1"}, {}, seconds=1) if in_time else None
        number = answer.body.get("totalCount") if answer is not None and answer.ok else None
        counts.append({"title": resource.title, "address": visiting.address(resource.route.path), "number": number})
    return counts


def list_page(request: HttpRequest, visiting: Visiting, resource: Resource, **ids: str) -> HttpResponse:
    """Show a page of a list, as the API answers it."""
    search = request.GET.get("search", "").strip()
    cursor = request.GET.get("cursor", "")
    query = {"cursorPagination": "true", "n": str(SIZE)}
    query |= {name: value for name, value in (("searchValue", search), ("cursor", cursor)) if value}
    answer = read_endpoint(resource.route, visiting.visit, query, ids)
    rows, around, output = _contents(answer, resource.endpoint)
    names = filled_columns(rows, output)
    place = resource.route.address(*ids.values())
    context = {
        "title": resource.title,
        "path": place,
        "problem": "" if answer.ok else f"{answer.body.get('message')}: {answer.body.get('warning')}".rstrip(": "),
        "search": search,
        "searchable": bool(search or (answer.fields and answer.fields.default_search)),
        "total": answer.body.get("totalCount"),
        "capped": answer.body.get("totalCountIsCapped", False),
        "around": record_entries(around, visiting.zone, resource.endpoint.output),
        "headings": [name_label(name) for name in names],
        "rows": [
            {
                "address": visiting.address(f"{place}/{row['_id']}")
                if resource.record is not None and row.get("_id")
                else "",
                "cells": [format_cell(row.get(name), visiting.zone) for name in names],
            }
            for row in rows
        ],
        **_steps(request, search, cursor, answer.body.get("nextCursor")),
    }
    return visiting.page(request, "visit_list.html", context, resource.route.path)


def _contents(answer: Answer, endpoint: Endpoint) -> tuple[list[JsonObject], JsonObject, type[Output] | None]:
    """Return the rows of the answer, the record that contains them (empty if data is the rows), and a row's Output."""
    if not answer.ok:
        return [], {}, endpoint.output
    data = hide_secrets(answer.body["data"], endpoint.output)
    if not endpoint.list_in:
        return data, {}, endpoint.output
    around = {name: value for name, value in data.items() if name != endpoint.list_in}
    return data[endpoint.list_in], around, nested_output(endpoint.output, endpoint.list_in)


def _steps(request: HttpRequest, search: str, cursor: str, following: str | None) -> dict[str, str]:
    """Return the links to other pages. Cursors only lead forward, so the address carries those of earlier pages."""
    trail = request.GET.getlist("back")[-BACK:]
    steps = {"next": "", "previous": "", "first": ""}

    def address(to: str, back: list[str]) -> str:
        params = [("search", search)] if search else []
        return "?" + urlencode([*params, *(("back", earlier) for earlier in back), *([("cursor", to)] if to else [])])

    if following:
        steps["next"] = address(following, [*trail, cursor][-BACK:])
    if cursor:
        steps["first"] = address("", [])
    if trail:
        steps["previous"] = address(trail[-1], trail[:-1])
    return steps


def record_page(request: HttpRequest, visiting: Visiting, resource: Resource, **ids: str) -> HttpResponse:
    """Show a record of a list, as the API answers it."""
    route = resource.record
    if route is None:
        raise Http404("there is no such page")
    answer = read_endpoint(route, visiting.visit, {}, ids)
    data = hide_secrets(answer.body.get("data"), route.endpoint.output) if answer.ok else None
    values = list(ids.values())
    below = [
        {"title": sublist.title, "address": visiting.address(sublist.route.address(*values))}
        for sublist in resource.below
    ]
    context = {
        "title": _name_of(data) or resource.title,
        "path": route.address(*ids.values()),
        "problem": "" if answer.ok else f"{answer.body.get('message')}: {answer.body.get('warning')}".rstrip(": "),
        "list_title": resource.title,
        "list_address": visiting.address(resource.route.path),
        "entries": record_entries(data, visiting.zone, route.endpoint.output) if isinstance(data, Mapping) else [],
        "below": below if answer.ok else [],
    }
    return visiting.page(request, "visit_record.html", context, resource.route.path)


def _name_of(data: Any) -> str:
    return (
        str(data.get("name") or data.get("title") or data.get("subject") or data.get("email") or "")
        if isinstance(data, Mapping)
        else ""
    )
