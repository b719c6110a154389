"""Headers of responses by address: the sources that pages may load, and no-store for API data.

Requests are refused if their body has no length, or is too large for an unknown caller.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import SESSION_KEY, get_user
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from accounts.auth.sessions.authentication import session_user
from accounts.auth.sessions.browser_sessions import claims_of
from core.api.handler import error_page, plain_response
from core.api.refusals import INVALID, MALFORMED, Refusal
from core.errors import InvalidToken, detail_of, field_errors

_PAGE = (
    "default-src 'none'; img-src 'self' data:; font-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline';"
    " base-uri 'none'; frame-ancestors 'none'"
)
WEB = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The policy of every page that has no other: nothing inline, nothing foreign."""
POLICIES = {
    # The back office's theme evaluates the expressions of its attributes (Alpine).
    "/admin/": f"{_PAGE}; script-src 'self' 'unsafe-eval'; frame-src 'self'; form-action 'self'",
    # Swagger UI sets styles of its own.
    "/api/docs/try/": f"{_PAGE}; script-src 'self'; form-action 'none'",
}
"""Beginning of an address -> its Content-Security-Policy, unless the answer has one of its own."""
API = "/api/"
CHECKED_FIRST = re.compile(r"/api/(key/protected|protected|private)(/|\Z)")
"""Addresses that authenticate a request before they read its body."""
OVERHEAD_BYTES = 1 << 20
"""The largest size that multipart adds to a file."""


class HeadersMiddleware:
    """Sets the headers that an answer does not have yet."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        for beginning, policy in POLICIES.items():
            if request.path_info.startswith(beginning):
                response.headers.setdefault("Content-Security-Policy", policy)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            response.headers.setdefault("Content-Security-Policy", WEB)
        if request.path_info.startswith(API):
            # Answers of the API are private, and a proxy must not keep them.
            response.headers.setdefault("Cache-Control", "no-store")
        return response


class BodyLengthMiddleware:
    """Refuses a body without a length, and one that exceeds the sender's limit, before it is read.

    WSGI cannot detect the end of a body without length, so that it would count as empty. Strangers send webhooks,
    forms, chats and log-ins; users who have logged in may send files.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        # The length is also what parsers in front could disagree about (request smuggling, RFC 9112, 11.2).
        if "HTTP_TRANSFER_ENCODING" in request.META and not request.META.get("CONTENT_LENGTH"):
            return _refuse_chunks(request)
        length = request.META.get("CONTENT_LENGTH") or "0"
        is_small = length.isdecimal() and len(length) < 16 and int(length) <= settings.PUBLIC_BODY_BYTES
        # These refuse a stranger before they read the body, and bound it themselves.
        if is_small or CHECKED_FIRST.match(request.path_info):
            return self.get_response(request)
        most = settings.MAX_UPLOAD_BYTES + OVERHEAD_BYTES if _is_logged_in(request) else settings.PUBLIC_BODY_BYTES
        if length.isdecimal() and len(length) < 16 and int(length) <= most:
            return self.get_response(request)
        problem = f"is larger than the {most} bytes that are taken here"
        detail = detail_of("body", problem)
        if request.path_info.startswith(API):
            errors = field_errors("body", problem)
            return plain_response(Refusal(400, "BodyTooLarge_400", MALFORMED, detail, errors))
        return HttpResponse(detail, status=413, content_type="text/plain; charset=utf-8")


def _refuse_chunks(request: HttpRequest) -> HttpResponse:
    if not request.path_info.startswith(API):
        return error_page(400)
    header, text = "Transfer-Encoding", "send the body with a Content-Length, not in chunks"
    return plain_response(Refusal(400, INVALID, MALFORMED, detail_of(header, text), field_errors(header, text)))


def _is_logged_in(request: HttpRequest) -> bool:
    """Return whether the browser's session is that of a member or of staff who are logged in still."""
    if not hasattr(request, "session"):
        return False
    if SESSION_KEY in request.session and get_user(request).is_active:
        return True
    claims = claims_of(request)
    if claims is None:
        return False
    try:
        session_user(claims)
    except InvalidToken:
        return False
    return True
