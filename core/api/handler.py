"""The exception handler, which converts exceptions into responses (contract section 7: body shape)."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from rest_framework import exceptions
from rest_framework.response import Response

from core.api.refusals import (
    INVALID,
    MALFORMED,
    RETRY_SECONDS,
    UNAVAILABLE,
    UNFORESEEN,
    Refusal,
    refusal_of,
    retryable_refusal,
)
from core.database import may_succeed_later
from core.errors import ApiError
from core.internals.django import mark_logged
from core.logs import request_id
from core.text.json import dumps
from core.types import JsonObject

log = logging.getLogger(__name__)

BARE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{0}</title></head>'
    '<body><h1>{0}</h1><p>Try again in a moment.</p><p><a href="/">Back to the start page</a></p></body></html>'
)


def exception_handler(error: Exception, context: JsonObject) -> Response:
    """Handle DRF's exceptions (settings.REST_FRAMEWORK)."""
    refusal = refusal_of(error)
    extra = error.extra if isinstance(error, ApiError) else {}
    response = Response({**refusal.body(error), **extra}, status=refusal.status)
    response.refusal = refusal  # type: ignore[attr-defined]  # pages read more of it than the body has
    if refusal.status >= 500:
        _log_failure(error, refusal, context.get("view"))
        # Django would log it again, after the request's id is gone.
        mark_logged(response)
    # RFC 9110, 15.5.2: a 401 names a scheme of authentication.
    if refusal.status == 401:
        response["WWW-Authenticate"] = _challenge(context)
    if isinstance(error, ApiError) and error.retry_after is not None:
        response["Retry-After"] = str(error.retry_after)
    if retryable_refusal(error):
        response["Retry-After"] = str(RETRY_SECONDS)
    if isinstance(error, exceptions.MethodNotAllowed) and "view" in context:
        # RFC 9110, 15.5.6: a 405 lists the methods.
        response["Allow"] = ", ".join(context["view"].allowed_methods)
    return response


def _log_failure(error: Exception, refusal: Refusal, view: object) -> None:
    """Log an answer with a status of 500 or more: as an error, unless the error's message row says so."""
    if isinstance(error, ApiError) and refusal.name != UNFORESEEN.name:
        log.warning("%s is answered with %s in %s", refusal.name, refusal.status, view)
    elif may_succeed_later(error):
        log.error("no database for %s: %s", view, error)
    else:
        log.error("unhandled error in %s", view, exc_info=error)


def _challenge(context: JsonObject) -> str:
    """Return the authentication scheme for callers: that of the view's authentication class, or a session."""
    view, request = context.get("view"), context.get("request")
    scheme = view.get_authenticate_header(request) if view is not None else None
    return scheme or 'Bearer realm="leadwright"'


def plain_response(refusal: Refusal) -> HttpResponse:
    """Return the envelope of a failure outside of DRF."""
    return HttpResponse(dumps(refusal.body()), status=refusal.status, content_type="application/json")


_brand: Callable[[int], Any] = lambda status: None  # noqa: E731


def set_error_brand(source: Callable[[int], Any]) -> None:
    """Register the function that returns the brand of an error page. Its result None is the brand of the service."""
    global _brand
    _brand = source


def error_page(status: int) -> HttpResponse:
    """Return the page templates/<status>.html, or a bare one where even that fails, as without the static files."""
    try:
        content: str = render_to_string(f"{status}.html", {"brand": _brand(status), "number": request_id()})
    # The page of an error must not fail itself, whatever is broken.
    except Exception:
        log.exception("no page for a %s", status)
        content = BARE.format(HTTPStatus(status).phrase)
    return HttpResponse(content, status=status)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Answer 404: with the envelope under /api/, with Django's page elsewhere."""
    if request.path.startswith("/api/"):
        return plain_response(refusal_of(Http404()))
    return error_page(404)


def unavailable(request: HttpRequest | None = None, answer: Refusal = UNAVAILABLE) -> HttpResponse:
    """Answer 503, by default since the database is away: with the envelope under /api/, with a page elsewhere."""
    if request is None or request.path.startswith("/api/"):
        response = plain_response(answer)
    else:
        response = error_page(answer.status)
    response["Retry-After"] = str(RETRY_SECONDS)
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500: with the envelope under /api/, with a page elsewhere. What is worth another try is a 503."""
    if answer := retryable_refusal(sys.exc_info()[1]):  # Django calls this while it handles the exception
        return unavailable(request, answer)
    if request.path.startswith("/api/"):
        return plain_response(UNFORESEEN)
    return error_page(500)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Answer 400 to requests that Django refuses before any view."""
    if request.path.startswith("/api/"):
        return plain_response(Refusal(400, INVALID, MALFORMED, str(exception or "")))
    return error_page(400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Answer 403 outside of the API, which has answers of its own."""
    return error_page(403)


__all__ = [
    "bad_request",
    "error_page",
    "exception_handler",
    "forbidden",
    "not_found",
    "plain_response",
    "server_error",
    "unavailable",
]
