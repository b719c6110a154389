"""Reads of a visit: by the handlers of the protected API, as a visitor, in a read-only transaction."""

from __future__ import annotations

from collections.abc import Mapping

from accounts.models import StaffVisit
from config.staff_visits.visitors import visitor
from core.api.routers import Operation
from core.tenancy import company_scope
from core.web.ask import ActorAuthentication, Answer, answer_of, in_process
from core.web.visits import SECONDS, read_only_block


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
    with company_scope(visit.company_id), read_only_block(seconds):
        response = handle(request, **path)
    return answer_of(response, operation.endpoint)
