"""The exception handler, which turns exceptions into answers (contract section 7: body shape)."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import IntegrityError, OperationalError
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from psycopg.errors import QueryCanceled
from rest_framework import exceptions
from rest_framework.response import Response

from core.errors import ApiError, NamedError
from core.messages import UNKNOWN, resolve
from core.text.json import dumps
from core.text.names import camel

log = logging.getLogger(__name__)

UNIQUE_VIOLATION = "23505"
CONNECTION_LOST = ("08", "57P01", "57P02", "57P03", "53300")
"""What the SQLSTATE begins with when the server ends the session or takes no further one (PostgreSQL, appendix A)."""
RETRY_SECONDS = 5
UNAVAILABLE = (
    503,
    "The service is not available right now",
    f"the database does not answer; try again in {RETRY_SECONDS} seconds",
)
"""Status, message and warning; the message rows are in the database that is away."""
CANCELLED = (*UNAVAILABLE[:2], f"the database was told to stop; try again in {RETRY_SECONDS} seconds")


BARE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{0}</title></head>'
    '<body><h1>{0}</h1><p>Try again in a moment.</p><p><a href="/">To the start</a></p></body></html>'
)


def failure(status: int, message: str, warning: str = "", error: BaseException | None = None) -> dict[str, Any]:
    """Return the envelope of a failure. `stack` is there in development mode only."""
    body: dict[str, Any] = {
        "status": "error" if status >= 500 else "fail",
        "success": False,
        "message": message,
        "warning": warning,
    }
    if settings.DEBUG and error is not None:
        body["stack"] = "".join(traceback.format_exception(error))
    return body


def render(error: BaseException) -> tuple[int, str, str]:
    """Return the status, message and warning of an exception."""
    if isinstance(error, NamedError):
        status, text = resolve(error.name)
        return status, text, error.detail
    if isinstance(error, ApiError):
        return error.status, error.message, error.detail
    if isinstance(error, Http404 | exceptions.NotFound):
        return (*resolve("NotFound_404"), "there is no such path")
    if isinstance(error, exceptions.UnsupportedMediaType):
        return 400, "Validation error: the body must be JSON", str(error.detail)
    if isinstance(error, exceptions.ParseError):
        return 400, f"Validation error: {error.detail}", "send a JSON object with Content-Type: application/json"
    if isinstance(error, exceptions.MethodNotAllowed):
        return (*resolve("NotFound_404"), str(error.detail))
    if isinstance(error, exceptions.APIException):
        return error.status_code, str(error.detail), ""
    if isinstance(error, RequestDataTooBig):
        return 400, "Validation error: the body is too large", f"at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE} bytes"
    if isinstance(error, SuspiciousOperation):
        return 400, "Validation error: the request is malformed", str(error)
    if isinstance(error, IntegrityError):
        return from_constraint(error)
    return to_try_again(error) or (*UNKNOWN, "")


def database_is_away(error: BaseException | None) -> bool:
    """Tell whether the statement failed since no connection could be made, or since it was lost on the way."""
    if not isinstance(error, OperationalError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(CONNECTION_LOST)


def to_try_again(error: BaseException | None) -> tuple[int, str, str] | None:
    """Return the answer to a statement that may well succeed in a moment: the database is away, or an operator or a
    time limit has cancelled it. None for any other error."""
    if database_is_away(error):
        return UNAVAILABLE
    return CANCELLED if isinstance(error, OperationalError) and isinstance(error.__cause__, QueryCanceled) else None


def from_constraint(error: IntegrityError) -> tuple[int, str, str]:
    """Render a constraint violation that no service has translated: duplicates by the contract, others as 500."""
    diagnosis = getattr(error.__cause__, "diag", None)
    if getattr(diagnosis, "sqlstate", "") != UNIQUE_VIOLATION:
        return (*UNKNOWN, "")
    names = constrained_fields(
        getattr(diagnosis, "table_name", None) or "", getattr(diagnosis, "constraint_name", None) or ""
    )
    listed = ", ".join(map(camel, names)) or "unknown"
    return 400, f"Duplicate field(s): {listed}", "another record has this value already"


def constrained_fields(table: str, constraint_name: str) -> list[str]:
    """Return the fields of a unique constraint from the models, since row-level security hides the values."""
    for model in apps.get_models():
        if model._meta.db_table != table:
            continue
        for constraint in model._meta.constraints:
            if constraint.name == constraint_name:
                return [name for name in named_fields(constraint) if name != "company"]
        return [
            field.name for field in model._meta.local_fields if field.unique and f"_{field.column}_" in constraint_name
        ]
    return []


def named_fields(constraint: Any) -> list[str]:
    """Return the fields of a constraint, including those inside expressions such as Lower("name")."""

    def inside(expression: Any) -> list[str]:
        if isinstance(expression, F):
            return [str(expression.name)]  # type: ignore[attr-defined]
        return [name for part in expression.get_source_expressions() for name in inside(part)]

    return [
        *getattr(constraint, "fields", ()),
        *(name for part in getattr(constraint, "expressions", ()) for name in inside(part)),
    ]


def exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    """Handle DRF's exceptions (settings.REST_FRAMEWORK)."""
    status, message, warning = render(error)
    extra = error.extra if isinstance(error, ApiError) else {}
    response = Response({**failure(status, message, warning, error), **extra}, status=status)
    if status >= 500:
        _log_failure(error, status, context.get("view"))
        # Django would log it again, after the request's id is gone.
        response._has_been_logged = True  # type: ignore[attr-defined]
    if status == 401:
        response["WWW-Authenticate"] = _challenge(context)
    if isinstance(error, ApiError) and error.retry_after is not None:
        response["Retry-After"] = str(error.retry_after)
    if to_try_again(error):
        response["Retry-After"] = str(RETRY_SECONDS)
    if isinstance(error, exceptions.MethodNotAllowed) and "view" in context:
        response["Allow"] = ", ".join(context["view"].allowed_methods)
    return response


def _log_failure(error: Exception, status: int, view: object) -> None:
    """Log an answer with a status of 500 or more: as an error, unless the error's message row says so."""
    if isinstance(error, ApiError) and render(error)[:2] != UNKNOWN:
        name = error.name if isinstance(error, NamedError) else type(error).__name__
        log.warning("%s is answered with %s in %s", name, status, view)
    elif database_is_away(error):
        log.error("no database for %s: %s", view, error)
    else:
        log.error("unhandled error in %s", view, exc_info=error)


def _challenge(context: dict[str, Any]) -> str:
    """Return how callers authenticate: as the view's authentication class says, or by a session."""
    view, request = context.get("view"), context.get("request")
    scheme = view.get_authenticate_header(request) if view is not None else None
    return scheme or 'Bearer realm="leadwright"'


def plain_response(status: int, message: str, warning: str = "") -> HttpResponse:
    """Return the envelope of a failure outside of DRF."""
    return HttpResponse(dumps(failure(status, message, warning)), status=status, content_type="application/json")


_brand: Callable[[int], Any] = lambda status: None  # noqa: E731


def set_error_brand(source: Callable[[int], Any]) -> None:
    """Register what says whose brand the page of an error shows; None is the service's."""
    global _brand
    _brand = source


def error_page(status: int) -> HttpResponse:
    """Return the page templates/<status>.html, or a bare one where even that fails, as without the static files."""
    try:
        content: str = render_to_string(f"{status}.html", {"brand": _brand(status)})
    except Exception:
        log.exception("no page for a %s", status)
        content = BARE.format(HTTPStatus(status).phrase)
    return HttpResponse(content, status=status)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Answer 404: with the envelope under /api/, with Django's page elsewhere."""
    if request.path.startswith("/api/"):
        return plain_response(*render(Http404()))
    return error_page(404)


def unavailable(request: HttpRequest | None = None, answer: tuple[int, str, str] = UNAVAILABLE) -> HttpResponse:
    """Answer 503, by default since the database is away: with the envelope under /api/, with a page elsewhere."""
    if request is None or request.path.startswith("/api/"):
        response = plain_response(*answer)
    else:
        response = error_page(answer[0])
    response["Retry-After"] = str(RETRY_SECONDS)
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500: with the envelope under /api/, with a page elsewhere. What is worth another try is a 503."""
    if answer := to_try_again(sys.exc_info()[1]):  # Django calls this while it handles the exception
        return unavailable(request, answer)
    if request.path.startswith("/api/"):
        return plain_response(*UNKNOWN)
    return error_page(500)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Answer 400 to requests that Django refuses before any view."""
    if request.path.startswith("/api/"):
        return plain_response(400, "Validation error: the request is malformed", str(exception or ""))
    return error_page(400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Answer 403 outside of the API, which has answers of its own."""
    return error_page(403)


__all__ = [
    "bad_request",
    "error_page",
    "exception_handler",
    "failure",
    "forbidden",
    "not_found",
    "plain_response",
    "render",
    "server_error",
    "unavailable",
]
