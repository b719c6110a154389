"""Requests to companies' tracking hosts (outreach.domain_tracking): they get the addresses of links in mails, and
nothing else of the service."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port, validate_host
from django.http.response import HttpResponseBase

from core.api.handler import not_found
from outreach.domain_tracking.checks import answer_of
from outreach.domain_tracking.hosts import PROBE, SERVED, own_host, state_of


class TrackingHostsMiddleware:
    """Answers for tracking hosts before Django looks whether it knows the host."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        host = split_domain_port(request.META.get("HTTP_HOST", ""))[0]
        own = urlsplit(settings.BASE_URL)
        if not host or host in (own.hostname, own_host(), *settings.ALLOWED_HOSTS) or not (state := state_of(host)):
            return self.get_response(request)
        if request.path_info == PROBE:
            return _answer(200, answer_of(host))
        # Whoever adds a host that a pattern of ours covers takes nothing away: it is theirs once its records say so.
        if state != "verified" and validate_host(host, settings.ALLOWED_HOSTS):
            return self.get_response(request)
        if state != "verified" or not SERVED.fullmatch(request.path_info):
            return not_found(request) if request.path_info.startswith("/api/") else _answer(404, "Not found")
        request.META["HTTP_HOST"] = own.netloc
        return self.get_response(request)


def _answer(status: int, text: str) -> HttpResponse:
    found = HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")
    found["Cache-Control"] = "no-store"
    found["X-Robots-Tag"] = "noindex"
    return found
