"""The page of the user's own sessions: open ones, and actions that end them."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import PersonPage


class Sessions(PersonPage):
    path = "account/sessions"
    name = "sessions"
    title = gettext_lazy("Sessions")
    menu = MenuItem(
        gettext_lazy("Sessions"),
        SETTINGS,
        20,
        "monitor-smartphone",
        gettext_lazy("Your account"),
        gettext_lazy("devices logged in log out logout sign out security"),
    )
    purpose = gettext_lazy("Browsers and devices with your account open.")
    template = "web/account/sessions.html"

    def show(self) -> Values:
        answer = self.require_ok(self.ask_private("GET", "sessions"))
        current = [session for session in answer.data if session["isCurrent"]]
        others = [session for session in answer.data if not session["isCurrent"]]
        return {"current": current, "others": others, "total": answer.total}

    def do_end(self) -> HttpResponse:
        answer = self.ask_private("DELETE", f"sessions/{self.sent_id()}")
        return self.redirect_with_toast(_("Session ended")) if answer.ok else self.refuse(answer)

    def do_others(self) -> HttpResponse:
        answer = self.ask_private("DELETE", "sessions")
        return self.redirect_with_toast(_("Logged out on all other devices")) if answer.ok else self.refuse(answer)


PAGES = [Sessions]
