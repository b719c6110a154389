"""The back office page of one's own second factor: set it up, show it, renew its backup codes, remove it."""

from __future__ import annotations

from typing import cast

import django_otp
from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from unfold.widgets import UnfoldAdminTextInputWidget

from accounts.auth.models import SecondFactor
from accounts.auth.staff.second_factor import (
    PAGE,
    WrongCode,
    begin,
    confirm,
    factor_of,
    remove,
    renew_backup_codes,
    verify,
)
from accounts.login_log.models import LoginLog
from accounts.login_log.services import record_login
from accounts.users.models import User
from core.access.callers import caller_of
from core.text.translation import gettext_lazy as _
from core.types import JsonObject

ISSUER = "Leadwright"
"""The name that authenticator apps show."""
REASON = "back office, second factor"


class CodeForm(forms.Form):
    """A code of the authenticator app, or a backup code."""

    code = forms.CharField(
        max_length=40,
        label=_("Code"),
        help_text=_("Six digits from your authenticator app, or a backup code."),
        widget=UnfoldAdminTextInputWidget(
            attrs={"autocomplete": "one-time-code", "autofocus": True, "spellcheck": "false"}
        ),
    )


def account_links(request: HttpRequest) -> list[dict[str, str]]:
    """Return the links of the account menu, which replace the theme's own."""
    links = [{"title": _("Change password"), "link": reverse("admin:password_change")}]
    if settings.STAFF_SECOND_FACTOR != "off":
        links.append({"title": _("Second factor"), "link": reverse(PAGE)})
    return links


@never_cache
def second_factor(request: HttpRequest) -> HttpResponse:
    """Set up the second factor, ask for it, or let its owner change it."""
    if settings.STAFF_SECOND_FACTOR == "off":
        raise Http404("two-factor authentication is off")
    user = cast(User, request.user)
    factor = factor_of(user)
    form = CodeForm(request.POST or None)
    context: JsonObject = {"factor": factor, "verified": factor is not None and _is_verified(request)}
    if form.is_valid():
        try:
            answer = _answer(request, user, context, form.cleaned_data["code"])
        except WrongCode as error:
            _record(request, user, LoginLog.Status.FAILED)
            form.add_error("code", error.detail)
        else:
            if answer is not None:
                return answer
            form = CodeForm()
    return _page(request, user, context, form)


def _answer(request: HttpRequest, user: User, context: JsonObject, code: str) -> HttpResponse | None:
    """Process the form. Return None to show the page again, with backup codes in its context."""
    if context["factor"] is None:
        factor, codes = confirm(user, code)
        _enter(request, factor)
        context |= {"factor": factor, "codes": codes, "verified": True}
        return None
    if not context["verified"]:
        _enter(request, verify(user, code))
        _record(request, user, LoginLog.Status.SUCCESS)
        return HttpResponseRedirect(_next_page(request))
    if request.POST.get("do") == "remove":
        remove(user, code)
        messages.success(request, _("Second factor removed"))
        return HttpResponseRedirect(reverse(PAGE))
    context["codes"] = renew_backup_codes(user, code)
    context["factor"] = factor_of(user)
    return None


def _record(request: HttpRequest, user: User, status: str) -> None:
    record_login(email=user.email, user=user, status=status, reason=REASON, caller=caller_of(request))


def _enter(request: HttpRequest, factor: SecondFactor) -> None:
    """Mark the session as verified, under a new id."""
    request.session.cycle_key()
    django_otp.login(request, factor)


def _page(request: HttpRequest, user: User, context: JsonObject, form: CodeForm) -> HttpResponse:
    if context["factor"] is None:
        pending = begin(user)
        key = pending.key
        context |= {
            "address": pending.address(ISSUER),
            "key": " ".join(key[at : at + 4] for at in range(0, len(key), 4)),
        }
    context |= {
        **admin.site.each_context(request),
        "title": _("Second factor"),
        "form": form,
        "next": _next_page(request),
        "required": settings.STAFF_SECOND_FACTOR == "required",
    }
    return TemplateResponse(request, "admin/second_factor.html", context)


def _is_verified(request: HttpRequest) -> bool:
    verified: bool = request.user.is_verified()  # type: ignore[union-attr]  # django_otp's middleware adds it
    return verified


def _next_page(request: HttpRequest) -> str:
    """Return the page that the person requested before the log-in, if it is one of this site."""
    address = request.POST.get("next") or request.GET.get("next") or ""
    safe = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    return address if safe else reverse("admin:index")


def urls() -> list[URLPattern]:
    """Return the page's address."""
    return [path("admin/second-factor", admin.site.admin_view(second_factor), name=PAGE)]
