"""GET /c/<token> and /o/<token>.gif: the tracked links of mails, and the picture that reports an open.

An invalid token, and one of a deleted message, both get a 404 without further details.
"""

from __future__ import annotations

import base64
from typing import cast

from django.http import HttpRequest, HttpResponse
from django.urls import re_path
from django.utils.encoding import iri_to_uri
from django.views.decorators.csrf import csrf_exempt

from core.access.attempts import Limit
from core.access.callers import caller_of
from outreach.connections.smtp.markup import trimmed_url
from outreach.messaging.delivery.tracking.links import with_ascii_host
from outreach.messaging.delivery.tracking.recorder import Visit, record_click, record_open

GIF = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
VISITS = Limit("tracked-visits", 600, 60)
"""Visits of a network in a minute."""
TOKEN = r"(?P<token>[A-Za-z0-9_-]{34})"  # noqa: S105  a pattern


@csrf_exempt  # a POST changes nothing: the answer is 405
def click(request: HttpRequest, token: str) -> HttpResponse:
    """Redirect to the address of the link, which the message contains."""
    refused = _refuse_request(request)
    if refused is not None:
        return refused
    url = record_click(token, _visit(request))
    if url is None:
        return _answer(404)
    response = _answer(302)
    response["Location"] = _location(url)
    return response


@csrf_exempt
def opened(request: HttpRequest, token: str) -> HttpResponse:
    """Answer with a transparent picture of one pixel."""
    refused = _refuse_request(request)
    if refused is not None:
        return refused
    if not record_open(token, _visit(request)):
        return _answer(404)
    return _answer(200, GIF, "image/gif")


def _refuse_request(request: HttpRequest) -> HttpResponse | None:
    if request.method not in ("GET", "HEAD"):
        response = _answer(405)
        response["Allow"] = "GET, HEAD"
        return response
    # By network and not by address: IPv6 gives each caller more addresses than could be counted.
    if not VISITS.try_count(caller_of(request).network):
        response = _answer(429)
        response["Retry-After"] = str(VISITS.seconds)
        return response
    return None


def _visit(request: HttpRequest) -> Visit:
    user = getattr(request, "user", None)
    user_id = user.pk if user is not None and user.is_authenticated else None
    return Visit(cast("str", request.method), caller_of(request), user_id)


def _location(url: str) -> str:
    """Return the address as a header can have it."""
    return iri_to_uri(with_ascii_host(trimmed_url(url))) or url


def _answer(status: int, content: bytes = b"", kind: str = "text/plain; charset=utf-8") -> HttpResponse:
    answer = HttpResponse(content, status=status, content_type=kind)
    # A cached answer would hide the next visit.
    answer["Cache-Control"] = "no-store, private"
    # The page that the link leads to must not learn the token.
    answer["Referrer-Policy"] = "no-referrer"
    answer["X-Robots-Tag"] = "noindex"
    return answer


urlpatterns = [
    re_path(rf"^c/{TOKEN}\Z", click, name="tracked-link"),
    re_path(rf"^o/{TOKEN}\.gif\Z", opened, name="tracked-open"),
]
