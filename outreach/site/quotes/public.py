"""The public page of a quote, /q/<token>: customers read, accept or decline it. It works without script."""

from __future__ import annotations

from decimal import Decimal

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext as _

from accounts.settings.branding import brand_of
from accounts.settings.formats import formats_of
from core.access.attempts import Limit
from core.access.callers import caller_of
from core.errors import NamedError
from core.tenancy import company_scope
from core.text.formats import money_text, price_text
from core.text.translation import gettext_lazy
from core.types import JsonObject
from outreach.site.quotes.answers import accept_quote, decline_quote, find_quote, is_over, note_view
from outreach.site.quotes.documents import total_rows
from outreach.site.quotes.models import Quote
from outreach.site.quotes.responses import pdf_response
from outreach.site.quotes.tokens import token_of

READS = Limit("quote-read", 60, 60)
"""Requests of one network."""
TRIES = Limit("quote-answer", 10, 60)
"""Answers of one network to one quote."""
MAX_BYTES = 64 * 1024
NO_QUOTE = gettext_lazy("Quote not found")
TOO_OFTEN = gettext_lazy("Too many attempts. Try again in a minute.")
NOT_CHECKED = gettext_lazy("Tick the box to accept the quote.")
TOO_LONG = gettext_lazy("Your answer is too long.")


def quote_page(request: HttpRequest, token: str) -> HttpResponse:
    """Show a quote, and take its answer."""
    if request.method not in ("GET", "HEAD", "POST"):
        return HttpResponse(status=405, headers={"Allow": "GET, HEAD, POST"})
    quote = find_quote(token)
    if quote is None:
        return _missing(request)
    if not READS.try_count(caller_of(request).network):
        return _page(request, quote, problem=TOO_OFTEN, status=429)
    with company_scope(quote.company_id):
        if request.method == "POST":
            return _answer(request, quote)
        # Programs that check links ask by HEAD.
        if request.method == "GET":
            note_view(quote)
        return _page(request, quote)


def quote_file(request: HttpRequest, token: str) -> HttpResponse:
    """Return the PDF of a quote."""
    quote = find_quote(token)
    if quote is None:
        return _missing(request)
    if not TRIES.try_count(f"pdf {quote.pk} {caller_of(request).network}"):
        return _page(request, quote, problem=TOO_OFTEN, status=429)
    # 404 on the host of another company.
    brand_of(quote.company_id)
    with company_scope(quote.company_id):
        return _headers(pdf_response(quote))


def _answer(request: HttpRequest, quote: Quote) -> HttpResponse:
    length = request.headers.get("Content-Length") or "0"
    if not length.isdecimal() or int(length) > MAX_BYTES:
        return _page(request, quote, problem=TOO_LONG, status=413)
    caller = caller_of(request)
    if not TRIES.try_count(f"{quote.pk} {caller.network}"):
        return _page(request, quote, problem=TOO_OFTEN, status=429)
    declines = request.POST.get("do") == "decline"
    name = request.POST.get("name", "").replace("\0", "")
    try:
        if declines:
            decline_quote(quote, reason=request.POST.get("reason", "").replace("\0", ""), ip=caller.ip)
        elif request.POST.get("agree") != "yes":
            return _page(request, quote, problem=NOT_CHECKED, status=422, name=name, wrong="agree")
        else:
            accept_quote(quote, name=name, ip=caller.ip)
    except NamedError as error:
        if error.name == "InvalidInput_400":
            return _page(request, quote, problem=error.reason, status=422, name=name, wrong="name", agree=True)
        current = find_quote(token_of(quote.company_id, quote.pk))
        return _page(request, current, problem="", status=409) if current else _missing(request)
    answer = HttpResponseRedirect(f"/q/{token_of(quote.company_id, quote.pk)}")
    # 303 makes the browser GET the page, so that a page that is loaded again sends nothing.
    answer.status_code = 303
    return _headers(answer)


def _missing(request: HttpRequest) -> HttpResponse:
    context = {"title": NO_QUOTE, "brand": brand_of(None)}
    return _headers(render(request, "pages/quote.html", context, status=404))


def _page(
    request: HttpRequest,
    quote: Quote,
    *,
    problem: str = "",
    status: int = 200,
    name: str = "",
    wrong: str = "",
    agree: bool = False,
) -> HttpResponse:
    brand = brand_of(quote.company_id)
    formats = formats_of(quote.company_id)
    with company_scope(quote.company_id):
        state = _state(quote)
        newer = quote.replaced_by
        context: JsonObject = {
            "title": quote.title,
            "quote": quote,
            "brand": brand,
            "formats": formats,
            "state": state,
            "token": token_of(quote.company_id, quote.pk),
            "lines": _lines(quote),
            "totals": total_rows(quote),
            "total": money_text(quote.total, quote.currency),
            "problem": problem,
            "name": name,
            "agree": agree,
            "wrong": wrong,
        }
        if newer is not None and newer.deleted_at is None and newer.status != Quote.Status.DRAFT:
            context["newer"] = f"/q/{token_of(newer.company_id, newer.pk)}"
    return _headers(render(request, "pages/quote.html", context, status=status))


def _state(quote: Quote) -> str:
    """Return what the page shows: open, accepted, declined, replaced or expired."""
    if quote.status in (Quote.Status.ACCEPTED, Quote.Status.DECLINED) and quote.replaced_by_id is None:
        return quote.status
    if quote.replaced_by_id:
        return "replaced"
    return "expired" if is_over(quote) else "open"


def _lines(quote: Quote) -> list[JsonObject]:
    code = quote.currency
    return [
        {
            **line,
            "price": price_text(Decimal(line["unitPrice"]), code),
            "sum": money_text(Decimal(line["amount"]), code),
            "notes": [
                text
                for text, shown in (
                    (_("Discount %(percent)s%%") % {"percent": line["discount"]}, Decimal(line["discount"])),
                    (_("Tax %(rate)s%%") % {"rate": line["tax"]}, Decimal(line["tax"])),
                )
                if shown
            ],
        }
        for line in quote.lines
    ]


def _headers(answer: HttpResponse) -> HttpResponse:
    answer["Content-Security-Policy"] = (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self';"
        " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
    answer["Cache-Control"] = "no-store"
    answer["X-Robots-Tag"] = "noindex"
    # The address opens the quote, so other sites must not learn it. Django's check against forgery needs it here.
    answer["Referrer-Policy"] = "same-origin"
    return answer


urlpatterns = [
    path("q/<str:token>", quote_page, name="public-quote"),
    path("q/<str:token>/quote.pdf", quote_file, name="public-quote-file"),
]
