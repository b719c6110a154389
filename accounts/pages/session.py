"""The pages of a browser's session: log in, log out, and the way from / to one's company."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views import View

from accounts.auth.sessions import browser_sessions
from accounts.auth.sessions.services import log_in, sign_in
from accounts.auth.sessions.tokens import Tokens
from accounts.members.readers import landing
from accounts.pages.base import HEADERS, Page
from accounts.pages.forms import PublicForm
from accounts.settings.branding import brand_of
from accounts.users.models import User
from core.access.callers import caller_of
from core.errors import NamedError
from core.text.translation import gettext_lazy
from core.types import JsonObject
from core.web.readers import NoSession

WRONG = gettext_lazy(
    "The email or password is wrong, or the email is not verified. We send a new link to unverified addresses."
)


class LoginForm(PublicForm):
    email = forms.EmailField(
        label=gettext_lazy("Email address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        max_length=1000,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    next = forms.CharField(required=False, max_length=1000, widget=forms.HiddenInput)


def begin_session(request: HttpRequest, issued: Tokens, path: str = "") -> HttpResponse:
    """Begin the browser's session, and lead to the page that was wanted or to the person's company."""
    browser_sessions.begin(request, issued)
    safe = url_has_allowed_host_and_scheme(path, {request.get_host()}, require_https=request.is_secure())
    response = HttpResponseRedirect(path if safe and path.startswith("/") else landing(request))
    response.status_code = 303
    return response


def enter_as(request: HttpRequest, user: User, reason: str, path: str = "") -> HttpResponse:
    """Begin a session for a person who has proved otherwise who they are, such as by the link of a mail."""
    return begin_session(request, sign_in(user=user, caller=caller_of(request), reason=reason), path)


class Login(Page):
    """The log-in, with the limits and the log of the API's."""

    template_name = "pages/login.html"
    form_class = LoginForm

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return HttpResponseRedirect(landing(request))
        except NoSession:
            return super().get(request, *args, **kwargs)

    def get_initial(self) -> JsonObject:
        return {"next": self.request.GET.get("next", "")[:1000]}

    def act(self, form: LoginForm) -> HttpResponse:
        values = form.cleaned_data
        try:
            _, issued = log_in(email=values["email"], password=values["password"], caller=caller_of(self.request))
        except NamedError:
            raise NamedError("InvalidCredentials_400", WRONG) from None
        return begin_session(self.request, issued, values["next"])


class Logout(View):
    """Asks, and ends the browser's session."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest) -> HttpResponse:
        try:
            back = landing(request)
        except NoSession:
            return HttpResponseRedirect("/login")
        response = render(request, "pages/logout.html", {"brand": brand_of(None), "back": back})
        for name, value in HEADERS.items():
            response.headers[name] = value
        return response

    def post(self, request: HttpRequest) -> HttpResponse:
        browser_sessions.end(request)
        return HttpResponseRedirect("/login")


class Root(View):
    """The address / leads to one's company, or to the log-in."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        try:
            return HttpResponseRedirect(landing(request))
        except NoSession:
            return HttpResponseRedirect("/login")
