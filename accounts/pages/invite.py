"""The page of an invite's link: accept as a new user, accept with an existing account, or decline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from accounts.auth.sessions import tokens
from accounts.auth.sessions.services import log_in
from accounts.members.invites import accept_as_new_user, account_of, answer_invite, decline_invite, read_invite
from accounts.members.models import Member
from accounts.members.readers import is_session_of
from accounts.pages.base import Page
from accounts.pages.forms import NewPassword, TokenForm
from accounts.pages.session import begin_session, enter_as
from accounts.settings.branding import Brand, brand_of
from accounts.users.models import User
from core.access.callers import caller_of
from core.errors import NamedError
from core.text.translation import gettext_lazy
from core.types import JsonObject


class NewcomerForm(TokenForm):
    name = forms.CharField(
        label=gettext_lazy("Your name"), max_length=200, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    password = forms.CharField(
        label=gettext_lazy("Choose a password"), max_length=1000, strip=False, widget=NewPassword
    )


class AccountForm(TokenForm):
    password = forms.CharField(
        label=gettext_lazy("Your password"),
        max_length=1000,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class InvitePage(Page):
    """The page of an invite. An expired invite gets a page of its own."""

    template_name = "pages/invite.html"
    way_on = ("pages:login", gettext_lazy("Already accepted? Log in"))
    invite: Member | None = None
    account: User | None = None

    def brand(self) -> Brand:
        return brand_of(self.invite.company_id if self.invite else None)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._open(request.GET.get("token", ""), lambda: super(InvitePage, self).get(request, *args, **kwargs))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._open(request.POST.get("token", ""), lambda: super(InvitePage, self).post(request, *args, **kwargs))

    def _open(self, token: str, answer: Callable[[], HttpResponse]) -> HttpResponse:
        try:
            self.invite = read_invite(token)
        except NamedError:
            return self.page("pages/invite_over.html", {}, status=400)
        self.account = account_of(self.invite)
        return answer()

    def get_form_class(self) -> type[forms.Form]:
        return AccountForm if self.account else NewcomerForm

    def get_initial(self) -> JsonObject:
        return {"token": self.request.GET.get("token", ""), "name": self.invite.name if self.invite else ""}

    def page(self, template: str | None, context: JsonObject, *, status: int = 200) -> HttpResponse:
        return super().page(
            template, {"invite": self.invite, "has_account": self.account is not None, **context}, status=status
        )

    def act(self, form: Any) -> JsonObject | HttpResponse:
        """Accept the invite, and log this browser in: by the link for a new user, by the password for others."""
        values = form.cleaned_data
        caller = caller_of(self.request)
        home = f"/c/{self.invite.company_id}/" if self.invite else ""
        if self.account is None or self.invite is None:
            user = accept_as_new_user(
                token=values["token"], name=values["name"], password=values["password"], caller=caller
            )
            return enter_as(self.request, user, "accepted an invite", home)
        user, session = log_in(email=self.account.email, password=values["password"], caller=caller)
        try:
            answer_invite(user_id=user.pk, member_id=self.invite.pk, status=Member.Status.ACCEPTED)
        except NamedError:
            tokens.revoke(session.refresh)  # the log-in only proved the identity
            raise
        if is_session_of(self.request, user):
            tokens.revoke(session.refresh)
            return HttpResponseRedirect(home)
        return begin_session(self.request, session, home)


class DeclineInvite(InvitePage):
    """The page that declines an invite, without a password."""

    template_name = "pages/invite_decline.html"
    done_template = "pages/invite_declined.html"

    def get_form_class(self) -> type[forms.Form]:
        return TokenForm

    def act(self, form: Any) -> JsonObject:
        decline_invite(token=form.cleaned_data["token"])
        return {}
