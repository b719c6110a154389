"""Throttle classes: limits on requests a minute (core.access.pace)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from core.access import Actor, AuthPath, count_request, rate_limit_error
from core.internals.rest_framework import http_request

if TYPE_CHECKING:
    # rest_framework.views itself imports the class, which the settings name.
    from rest_framework.views import APIView

    from core.api.views import ApiView


class PaceThrottle(BaseThrottle):
    """Counts requests of a company and of its API key or member, against the plan's limits or those of the settings.

    Visits of staff and the pages' own requests are not counted. The view's answer has the limits in its headers.
    """

    def allow_request(self, request: Request, view: APIView) -> bool:
        api_view = cast("ApiView", view)
        actor = request.auth
        if not isinstance(actor, Actor) or actor.auth_path is AuthPath.PRIVATE or actor.visiting:
            return True
        if api_view.declaration() is None or hasattr(http_request(request), "acting"):
            return True
        api_view.paces = count_request(actor.company_id, actor.key_id or actor.member_id, api_view.entitlement)
        return rate_limit_error(api_view.paces) is None
