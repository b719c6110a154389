"""The page behind the unsubscribe link of every mail.

A person who opens it is asked to confirm; a mail client that posts to it unsubscribes at once (RFC 8058).
"""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from rest_framework.request import Request

from accounts.settings.branding import brand_of
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from outreach.delivery.unsubscribe import unsubscribe
from outreach.delivery.unsubscribe_tokens import InvalidToken, Unsubscriber, read_token


class UnsubscribeViewSet(ResourceViewSet):
    public = True
    singleton = True

    @endpoint(
        "Ask whether to unsubscribe",
        raw="text/html",
        description="A page with one button. Opening it changes nothing, since mail scanners open every link.",
    )
    def retrieve(self, request: Request, token: str) -> Any:
        try:
            found = read_token(token)
        except InvalidToken as error:
            return self._page(request, "invalid", 400, detail=str(error))
        return self._page(request, "ask", 200, found)

    @endpoint(
        "Unsubscribe",
        raw="text/html",
        description="One click (RFC 8058): no login, no confirmation; repeating it changes nothing.",
    )
    def create(self, request: Request, token: str) -> Any:
        try:
            found = read_token(token)
            unsubscribe(found)
        except InvalidToken as error:
            return self._page(request, "invalid", 400, detail=str(error))
        return self._page(request, "done", 200, found)

    def _page(
        self, request: Request, state: str, status: int, found: Unsubscriber | None = None, detail: str = ""
    ) -> HttpResponse:
        # Recipients know the company that wrote to them, and not the service that it wrote by.
        brand = brand_of(found.company_id if found else None)
        context = {"state": state, "detail": detail, "brand": brand}
        page = render(request._request, "pages/unsubscribe.html", context, status=status)
        page["Cache-Control"] = "no-store"
        page["X-Robots-Tag"] = "noindex"
        return page
