"""The page of caught mails, only in the demo and only for browsers on this machine."""

import functools
import ipaddress
from collections.abc import Callable
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from config.local.mail_catcher import mail_folder
from config.local.mail_catcher.store import CaughtMail, MailStore

PAGE_SIZE = 50
_PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; form-action 'self';"
    " base-uri 'none';"
    " frame-ancestors 'none'"
)
# A mail is untrusted: it may render and open links in new windows, but not run or load anything.
_MAIL_POLICY = (
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline';"
    " img-src data:; form-action 'none'; frame-ancestors 'self'"
)

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def _here_only(view: View[P]) -> View[P]:
    """Hide a view outside of the demo and from other machines, even for a proxy on this machine."""

    @functools.wraps(view)
    def wrapper(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not getattr(settings, "DEMO", False) or not is_local(request):
            raise Http404
        response = view(request, *args, **kwargs)
        response.headers.setdefault("Content-Security-Policy", _PAGE_POLICY)
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Cache-Control"] = "no-store"
        return response

    return wrapper


def is_local(request: HttpRequest) -> bool:
    """Return whether the request comes from this machine, and through no proxy."""
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


@require_safe
@_here_only
def mail_list(request: HttpRequest) -> HttpResponse:
    """List the caught mails, newest first, with a search over sender, recipient and subject."""
    search = request.GET.get("q", "").strip()[:200]
    digits = request.GET.get("page", "1")
    page = max(1, int(digits)) if digits.isascii() and digits.isdigit() and len(digits) < 6 else 1
    mails, total = _store().page(search=search, start=(page - 1) * PAGE_SIZE, size=PAGE_SIZE)
    pages = max(1, -(-total // PAGE_SIZE))
    context = {
        "mails": mails,
        "total": total,
        "search": search,
        "page": page,
        "pages": pages,
        "before": page - 1,
        "after": page + 1,
    }
    return render(request, "catcher/list.html", context)


@require_safe
@_here_only
def mail_detail(request: HttpRequest, mail_id: str) -> HttpResponse:
    """Show a mail: its headers, its text, and its HTML in a sandboxed frame."""
    mail = _mail(mail_id)
    return render(request, "catcher/detail.html", {"mail": mail, "summary": mail.summary})


@require_safe
@xframe_options_sameorigin
@_here_only
def mail_html(request: HttpRequest, mail_id: str) -> HttpResponse:
    """Return the HTML part, for the frame. Its links open in new windows."""
    response = HttpResponse('<base target="_blank">' + _mail(mail_id).html, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = _MAIL_POLICY
    return response


@require_safe
@_here_only
def mail_raw(request: HttpRequest, mail_id: str) -> HttpResponse:
    """Return the mail as a file to download."""
    response = HttpResponse(_mail(mail_id).raw, content_type="message/rfc822")
    response.headers["Content-Disposition"] = f'attachment; filename="{mail_id}.eml"'
    return response


def _store() -> MailStore:
    return MailStore(mail_folder(settings.LEADWRIGHT_DATA))


def _mail(mail_id: str) -> CaughtMail:
    mail = _store().read(mail_id)
    if mail is None:
        raise Http404
    return mail
