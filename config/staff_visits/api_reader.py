"""Reads of a visit: by the handlers of the protected API, as a visitor, in a read-only transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import orjson
from django.db import connection, transaction
from django.http import HttpRequest, QueryDict
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.models import StaffVisit
from core.access import Actor, AuthPath
from core.api.routers import Operation
from core.lists import FieldSet
from core.tenancy import company_scope

SECONDS = 10
"""The statement timeout of a page."""


class VisitAuthentication(BaseAuthentication):
    """Authenticates the visitor, whom the page has checked."""

    def authenticate(self, request: Request) -> tuple[Any, Actor]:
        actor: Actor = request._request.visitor  # type: ignore[attr-defined]
        return actor, actor


@dataclass(frozen=True)
class ApiAnswer:
    """An answer of the API. `fields` are those of its list, if it is one."""

    status: int
    body: Mapping[str, Any]
    fields: FieldSet | None = None

    @property
    def ok(self) -> bool:
        return self.status < 400


def visitor(visit: StaffVisit) -> Actor:
    """Return the visit's actor: on the session path, without a membership."""
    return Actor(AuthPath.SESSION, visit.staff_id, visit.company_id, visiting=True)


def read_endpoint(
    operation: Operation,
    visit: StaffVisit,
    query: Mapping[str, str],
    path: Mapping[str, str],
    *,
    seconds: int = SECONDS,
) -> ApiAnswer:
    """Run a GET inside the visit's company. A statement that takes longer than `seconds` fails."""
    request = _request(query)
    request.visitor = visitor(visit)  # type: ignore[attr-defined]
    handle = operation.as_view(authentication_classes=[VisitAuthentication])
    with company_scope(visit.company_id), transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{seconds}s"])
        response = handle(request, **path)
        transaction.set_rollback(True)
    if response.streaming:
        response.close()
        raise TypeError(f"{operation} answers a stream, which a visit cannot show")
    fields = operation.listing.fields if operation.listing else None
    return ApiAnswer(response.status_code, orjson.loads(response.content), fields)


def _request(query: Mapping[str, str]) -> HttpRequest:
    """Make a new request, without the staff member's cookies and session."""
    request = HttpRequest()
    request.method = "GET"
    request.path = request.path_info = "/"
    request.META = {"REQUEST_METHOD": "GET", "SERVER_NAME": "localhost", "SERVER_PORT": "80"}
    request.GET = QueryDict(urlencode(query))
    return request
