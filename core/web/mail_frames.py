"""Mails as their readers see them, in frames of pages."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from core.types import Values

POLICY = (
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' https: data:; form-action 'none'; frame-ancestors 'self'"
)
"""A mail may show pictures and open links in new windows, but not run or load anything else."""


DARK_PICTURES = "<style>img{filter:invert(1) hue-rotate(180deg)}</style>"
"""Turns pictures back, where the frame inverts a whole mail as mail programs do in dark mode."""
WIDTHS = ("wide", "phone")
LIGHTS = ("light", "dark")


def mail_frame(
    request: HttpRequest, *, mail: Values | None = None, problem: str = "", look: str = "", bare: bool = False
) -> HttpResponse:
    """Return the document of a frame with a mail, or with the reason why there is no mail.

    `look` is a width and a light, such as "phone dark"; a `bare` frame has no subject.
    """
    words = [word for word in look.split() if word in (*WIDTHS, *LIGHTS)]
    context = {"mail": mail, "problem": problem, "look": " ".join(words), "bare": bare}
    context["after"] = DARK_PICTURES if "dark" in words else ""
    response = render(request, "pages/mail_preview.html", context)
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


def quiet_frame(response: HttpResponse) -> HttpResponse:
    """Allow a response in a frame of the service's own pages, in which it can neither run nor load anything."""
    policy = "sandbox; default-src 'none'; style-src 'self'; form-action 'none'; frame-ancestors 'self'"
    response.headers["Content-Security-Policy"] = policy
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


STILL = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; frame-ancestors 'self'"
)
"""Policy for a mail that neither runs, loads nor links anything: the sender does not learn that it was opened."""


def still_mail(html: str) -> HttpResponse:
    """Return the document of a frame with the HTML of a mail, which nothing leaves."""
    head = '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Message</title></head>'
    style = "font:15px/1.6 system-ui,sans-serif;margin:16px;color:#14171f;background:#fff"
    response = HttpResponse(f'{head}<body style="{style}">{html}</body></html>')
    response.headers["Content-Security-Policy"] = STILL
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response
