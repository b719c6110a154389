"""Begin, read and end the hold."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from core.hold.models import Hold
from core.outbound import refuse_connections_if

DETAIL = "Nothing goes out: this service is held until its operator releases it (manage.py release)."


def current_hold() -> Hold | None:
    """Return the hold, or None where everything may go out. One query."""
    return Hold.objects.first()


def begin_hold(reason: str) -> Hold:
    """Hold all actions that reach others. An existing hold keeps its first reason."""
    return Hold.objects.get_or_create(defaults={"reason": reason[:300]})[0]


def end_hold() -> bool:
    """End the hold. Return whether there was one."""
    return bool(Hold.objects.all().delete()[0])


class HoldMiddleware:
    """Has requests ask for the hold before they connect to others. A request that connects to no one makes no query."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with refuse_connections_if(_why_not):
            return self.get_response(request)


def _why_not() -> str:
    return DETAIL if current_hold() else ""
