"""Gives each request its id, and logs it when it has been answered (LOG_REQUESTS)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import perf_counter
from typing import cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.log import log_response

from core.ids import new_id
from core.logs.context import log_context

HEADER = "X-Request-ID"
log = logging.getLogger("leadwright.requests")


class RequestIds:
    """The first middleware. The id is always ours: a caller's would have to be trusted."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        id, started = new_id(), perf_counter()
        with log_context(request=id):
            response = self.get_response(request)
            response.headers[HEADER] = id
            if response.status_code >= 500:
                # Django logs it, too, but after the context of this request.
                sent = cast(HttpResponse, response)  # a stream, too
                log_response("%s: %s", sent.reason_phrase, _route(request), response=sent, request=request)
            if settings.LOG_REQUESTS:
                _log(request, response, perf_counter() - started)
        return response


def _log(request: HttpRequest, response: HttpResponseBase, seconds: float) -> None:
    """Log the pattern of the address, not the address: it may hold a token. Queries, headers and bodies stay out."""
    actor = getattr(request, "leadwright_actor", None)
    fields = {
        "method": request.method,
        "route": _route(request),
        "status": response.status_code,
        "ms": round(seconds * 1000, 1),
        "company": getattr(actor, "company_id", None) or "",
    }
    log.info("%s %s %s", request.method, fields["route"], response.status_code, extra={"fields": fields})


def _route(request: HttpRequest) -> str:
    return "/" + request.resolver_match.route if request.resolver_match else ""
