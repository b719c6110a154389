"""The demo's log-in page: one click per person, for browsers on this machine."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import View

from accounts.models import User
from accounts.pages.session import Login, enter_as
from config.local.demo.chats import WEBSITE
from config.local.demo.company import COLLEAGUES, OWNER
from config.local.mail_catcher.views import is_local
from core.tenancy import unscoped
from core.types import JsonObject
from outreach.models import ChatWidget

PEOPLE = {OWNER: "Owner", **{email: role for _, email, role in COLLEAGUES}}
"""Address -> role of the people of the demo company."""


def may_enter(request: HttpRequest) -> bool:
    """Return whether the request may log in without a password: in the demo, from a browser on this machine."""
    return bool(settings.DEMO) and is_local(request)


class DemoLogin(Login):
    """The log-in page with a button per person."""

    template_name = "pages/demo_login.html"

    def page(self, template: str | None, context: JsonObject, *, status: int = 200) -> HttpResponse:
        users = User.objects.filter(email__in=PEOPLE, is_active=True) if may_enter(self.request) else ()
        people = {user.email: user.name for user in users}
        rows = [(email, people[email], role) for email, role in PEOPLE.items() if email in people]
        return super().page(template, {"people": rows, **context}, status=status)


class Enter(View):
    """Begins the session of one of the demo's people, without a password."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest) -> HttpResponse:
        email = request.POST.get("email", "")
        user = User.objects.filter(email=email, is_active=True).first() if email in PEOPLE else None
        if user is None or not may_enter(request):
            raise Http404
        return enter_as(request, user, "one click of the demo")


class Website(View):
    """A website with the demo company's chat, for browsers on this machine."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        if not may_enter(request):
            raise Http404
        with unscoped(reason="demo: the widget of its website"):
            token = ChatWidget.objects.filter(name=WEBSITE).values_list("token", flat=True).first()
        response = render(request, "pages/demo_website.html", {"token": token})
        response.headers["Content-Security-Policy"] = "default-src 'none'; script-src 'self'; connect-src 'self'"
        return response
