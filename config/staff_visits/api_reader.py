"""Reads of a visit: by the handlers of the protected API, as a visitor, in a read-only transaction."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import connection, transaction

from accounts.models import StaffVisit
from core.access import Actor, AuthPath
from core.api.routers import Operation
from core.tenancy import company_scope
from core.web.ask import ActorAuthentication, Answer, answer_of, in_process

SECONDS = 10
"""The statement timeout of a page."""


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
) -> Answer:
    """Run a GET inside the visit's company. A statement that takes longer than `seconds` fails."""
    request = in_process(visitor(visit), "GET", query)
    handle = operation.as_view(authentication_classes=[ActorAuthentication])
    with company_scope(visit.company_id), transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{seconds}s"])
        response = handle(request, **path)
        transaction.set_rollback(True)
    return answer_of(response, operation.endpoint)
