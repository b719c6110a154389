"""The page of one's own account: name, password, theme, companies and invites."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse

from core.web.forms import Field, Form, Option
from core.web.pages import PersonPage
from core.web.readers import source

THEMES = [Option("", "As the device has it"), Option("light", "Light"), Option("dark", "Dark")]
WORKING = ("owner", "accepted")


class Account(PersonPage):
    path = name = "account"
    title = "Your account"
    template = "web/account/account.html"

    def show(self) -> Mapping[str, Any]:
        profile = self.needed(self.ask_private("GET", "profile")).data
        invites = self.ask_private("GET", "invites", {"p": "1", "n": "20"})
        return {
            "profile": profile,
            "profile_form": self.profile_form(profile),
            "password_form": self.password_form(),
            "companies": [one for one in profile["memberships"] if one["status"] in WORKING],
            "invites": invites.data if invites.ok else [],
        }

    def profile_form(self, profile: Mapping[str, Any] | None = None) -> Form:
        theme = Field("theme", "Theme", "radio", options=THEMES, value=self.reader.theme)
        return Form([Field("name", "Your name", required=True, autocomplete="name"), theme], profile)

    def password_form(self) -> Form:
        rules = "At least 8 characters, and no password that many people use. It ends every other session."
        return Form(
            [
                Field("currentPassword", "Current password", "password", autocomplete="current-password"),
                Field("newPassword", "New password", "password", autocomplete="new-password", help=rules),
            ]
        )

    def do_profile(self) -> HttpResponse:
        form = self.profile_form().fill(self.request.POST)
        theme = form.values["theme"] if form.values["theme"] in ("light", "dark") else ""
        kept = {name: value for name, value in self.reader.layout.items() if name != "theme"}
        layout = {**kept, "theme": theme} if theme else kept
        body = {"name": form.values["name"], "layout": layout, "darkMode": theme == "dark"}
        answer = self.ask_private("PUT", "profile", None, body)
        if not answer.ok:
            form.refuse(answer.message, answer.warning)
            return self.page({**self.show(), "profile_form": form}, status=422)
        return self.done("Saved")

    def do_password(self) -> HttpResponse:
        form = self.password_form().fill(self.request.POST)
        answer = self.ask_private("PUT", "change-password", None, form.values)
        if not answer.ok:
            form.refuse(answer.message, answer.warning)
            status = answer.status if answer.status == 429 else 422
            return self.page({**self.show(), "password_form": form}, status=status)
        source().renew(self.request, answer.data["token"])
        return self.done("Your new password is set. Other sessions have ended.")

    def do_accept(self) -> HttpResponse:
        return self._answer_invite("accepted", "You are a member now")

    def do_decline(self) -> HttpResponse:
        return self._answer_invite("rejected", "Invite declined")

    def _answer_invite(self, status: str, text: str) -> HttpResponse:
        answer = self.ask_private("POST", f"invite/{self.sent_id()}", None, {"status": status})
        return self.done(text) if answer.ok else self.refuse(answer)


PAGES = [Account]
