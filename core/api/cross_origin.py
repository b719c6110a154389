"""Endpoints for scripts of other websites: the website that may read the responses, and the preflight requests."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request

from core.api.viewsets import ResourceViewSet

PREFLIGHT_SECONDS = 7200


class CrossOriginViewSet(ResourceViewSet):
    """`initial` sets `origin` once the website is allowed, and raises for all others."""

    origin: str = ""
    """The website that asks and may read the answer; empty: no other website may."""

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Answer the preflight request that browsers send before JSON for another origin."""
        if not self.origin:
            return HttpResponse(status=403)
        answer = HttpResponse(status=204)
        answer["Access-Control-Allow-Methods"] = "GET, POST"
        answer["Access-Control-Allow-Headers"] = "Content-Type"
        answer["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
        return answer

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        answer = super().finalize_response(request, response, *args, **kwargs)
        answer["Vary"] = "Origin"
        if self.origin:
            answer["Access-Control-Allow-Origin"] = self.origin
        return answer
