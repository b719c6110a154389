"""The page of the unsubscribe link in every mail.

A person who opens it is asked to confirm; a mail client that posts to it unsubscribes at once (RFC 8058).
"""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from rest_framework.request import Request

from accounts.settings.branding import brand_of
from accounts.settings.formats import formats_of
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.internals.rest_framework import http_request
from core.types import JsonObject
from outreach.messaging.delivery.unsubscribing.preferences import preferences, resubscribe
from outreach.messaging.delivery.unsubscribing.services import unsubscribe
from outreach.messaging.delivery.unsubscribing.tokens import InvalidToken, Unsubscriber, read_token
from outreach.messaging.delivery.unsubscribing.words import words_in


class UnsubscribeViewSet(ResourceViewSet):
    public = True
    singleton = True

    @endpoint(
        "Show what a recipient gets",
        raw="text/html",
        description="A page in the company's language: how much has come, and one button that unsubscribes, or takes"
        " that back. Opening it changes nothing, since mail scanners open every link.",
    )
    def retrieve(self, request: Request, token: str) -> object:
        try:
            unsubscriber = read_token(token)
        except InvalidToken:
            return self._invalid(request)
        return self._page(request, unsubscriber)

    @endpoint(
        "Unsubscribe",
        raw="text/html",
        description="One click (RFC 8058): no login, no confirmation; repeating it changes nothing. With"
        " do=resubscribe, as the page's other button sends, it is taken back; an address that bounced or complained"
        " stays on the do-not-contact list.",
    )
    def create(self, request: Request, token: str) -> object:
        try:
            unsubscriber = read_token(token)
        except InvalidToken:
            return self._invalid(request)
        # Django's form data and not DRF's: RFC 8058 clients post a form of their own to the same address.
        if http_request(request).POST.get("do") == "resubscribe":
            resubscribe(unsubscriber)
            return self._page(request, unsubscriber, asked="back")
        unsubscribe(unsubscriber)
        return self._page(request, unsubscriber)

    def _page(self, request: Request, who: Unsubscriber, asked: str = "ask") -> HttpResponse:
        shown = preferences(who)
        state = asked if shown.state == "ask" else shown.state
        # Recipients know the company that wrote to them, and not the service that it wrote by.
        brand = brand_of(who.company_id)
        language, words = words_in(shown.language)
        last = shown.last_at and formats_of(who.company_id).date(shown.last_at, language)
        context = {
            "state": state,
            "brand": brand,
            "language": language,
            "words": words,
            "heading": words[state],
            "text": words.get(f"{state}_text", "").format(name=brand.name),
            "address": shown.address,
            "so_far": words["so_far"].format(count=shown.count, date=last) if last else "",
        }
        return _render_page(request, context, 200)

    def _invalid(self, request: Request) -> HttpResponse:
        # Without a valid token nobody knows the company, and so not its language either.
        _, words = words_in("en")
        return _render_page(request, {"state": "invalid", "brand": brand_of(None), "words": words}, 400)


def _render_page(request: Request, context: JsonObject, status: int) -> HttpResponse:
    page = render(http_request(request), "pages/unsubscribe.html", context, status=status)
    # The page shows a part of the address and must not stay in a shared cache.
    page["Cache-Control"] = "no-store"
    page["X-Robots-Tag"] = "noindex"
    return page
