"""Counts requests, over all processes of a web server."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest
from django.http.response import HttpResponseBase

AREAS = {
    "/api/key/protected/": "key",
    "/api/protected/": "session",
    "/api/private/": "private",
    "/api/public/": "public",
    "/admin/": "admin",
    "/hooks/": "hooks",
    "/static/": "static",
}
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
NOT_COUNTED = frozenset({"/metrics", "/api/public/health"})


def area_of(path: str) -> str:
    """Return the part of the service that an address belongs to: one of AREAS, or page."""
    return next((area for beginning, area in AREAS.items() if path.startswith(beginning)), "page")


class RequestMetrics:
    """Counts each request by area, method and status, and takes its time until its answer begins."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.METRICS_TOKEN:
            raise MiddlewareNotUsed("METRICS_TOKEN is empty")
        from prometheus_client import Counter, Histogram  # noqa: PLC0415  it finds its files by the environment

        self.get_response = get_response
        labels = ("area", "method", "status")
        self.requests = _make_once(Counter, "leadwright_http_requests", "Requests that were answered", labels)
        self.seconds = _make_once(
            Histogram, "leadwright_http_request_seconds", "Until an answer began", ("area",), buckets=BUCKETS
        )

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info in NOT_COUNTED:
            return self.get_response(request)
        started = perf_counter()
        response = self.get_response(request)
        area = area_of(request.path_info)
        method = request.method if request.method in METHODS else "OTHER"
        self.requests.labels(area, method, str(response.status_code)).inc()
        self.seconds.labels(area).observe(perf_counter() - started)
        return response


_made: dict[str, object] = {}


def _make_once(kind: Callable[..., object], name: str, *arguments: object, **options: object):  # type: ignore[no-untyped-def]
    """Make a metric at the first call: a process may make several chains of middleware."""
    if name not in _made:
        _made[name] = kind(name, *arguments, **options)
    return _made[name]
