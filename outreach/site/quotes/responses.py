"""Responses with the PDF of a quote, of the API and of the public page."""

from __future__ import annotations

from django.http import HttpResponse

from outreach.site.quotes.documents import file_name, quote_pdf
from outreach.site.quotes.models import Quote


def pdf_response(quote: Quote) -> HttpResponse:
    """Return the PDF of a quote, which browsers show."""
    response = HttpResponse(quote_pdf(quote), content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{ascii_name(file_name(quote))}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def ascii_name(name: str) -> str:
    """Return a file name without quotes and letters that headers cannot have."""
    return "".join(
        letter if letter.isascii() and letter.isprintable() and letter not in '"\\' else "_" for letter in name
    )
