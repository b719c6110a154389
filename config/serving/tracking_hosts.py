"""Requests to companies' own hosts.

Tracking hosts (outreach.domain_tracking) serve the addresses of links in mails, and nothing else of the service. A host
that a company has chosen for its pages (outreach.white_label) serves these as well.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port, validate_host
from django.http.response import HttpResponseBase

from accounts.settings.branding import company_pages_scope
from core.api.handler import not_found
from outreach.messaging.domain_tracking.checks import answer_of
from outreach.messaging.domain_tracking.hosts import PROBE, SERVED, own_host, state_of
from outreach.site.white_label.brands import company_of, is_served_path


class TrackingHostsMiddleware:
    """Answers for tracking hosts before Django looks whether it knows the host."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        host = split_domain_port(request.META.get("HTTP_HOST", ""))[0]
        own = urlsplit(settings.BASE_URL)
        # Only for hosts that are none of ours, so that usual requests cost no look-up.
        if not host or host in (own.hostname, own_host(), *settings.ALLOWED_HOSTS) or not (state := state_of(host)):
            return self.get_response(request)
        if request.path_info == PROBE:
            return _answer(200, answer_of(host))
        # A company may add a host that one of our patterns covers. It is theirs once its records prove it.
        if state != "verified" and validate_host(host, settings.ALLOWED_HOSTS):
            return self.get_response(request)
        if state == "verified" and (company := company_of(host)) and is_served_path(request.path_info, company):
            return self._pages(request, company)
        if state != "verified" or not SERVED.fullmatch(request.path_info):
            return not_found(request) if request.path_info.startswith("/api/") else _answer(404, "Not found")
        # Django knows only its own hosts, and links in answers must not name the tracking host.
        request.META["HTTP_HOST"] = own.netloc
        return self.get_response(request)

    def _pages(self, request: HttpRequest, company: str) -> HttpResponseBase:
        """Answer with a page of the company, whose brand alone it may show. Forms come back to this host."""
        netloc = request.META["HTTP_HOST"]
        # Past ALLOWED_HOSTS: the host has proved by its records whose it is.
        request.get_host = lambda: netloc  # type: ignore[method-assign]
        with company_pages_scope(company):
            return self.get_response(request)


def _answer(status: int, text: str) -> HttpResponse:
    response = HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = "no-store"
    response["X-Robots-Tag"] = "noindex"
    return response
