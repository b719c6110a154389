"""The pages of the log: API requests, log-ins, changes of members."""

from __future__ import annotations

from typing import ClassVar

from django.utils.translation import gettext

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.filters import Choice
from core.web.lists import Column
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from core.web.records import RecordList, Records

WAYS = {
    "key": gettext_lazy("API key"),
    "session": gettext_lazy("Browser or app"),
    "private": gettext_lazy("Own account"),
    "public": gettext_lazy("Without log-in"),
}
METHODS = {
    "GET": gettext_lazy("Read"),
    "POST": gettext_lazy("Add"),
    "PUT": gettext_lazy("Change"),
    "PATCH": gettext_lazy("Change"),
    "DELETE": gettext_lazy("Delete"),
}
LOGINS = {
    "success": (gettext_lazy("Logged in"), "ok"),
    "failed": (gettext_lazy("Refused"), "bad"),
    "limited": (gettext_lazy("Too many attempts"), "warn"),
}
CHANGES = {
    "invited": gettext_lazy("Invited"),
    "resent": gettext_lazy("Invited again"),
    "accepted": gettext_lazy("Joined"),
    "rejected": gettext_lazy("Declined"),
    "expired": gettext_lazy("Invite expired"),
    "role_changed": gettext_lazy("Role changed"),
    "blocked": gettext_lazy("Blocked"),
    "unblocked": gettext_lazy("Unblocked"),
    "removed": gettext_lazy("Removed"),
    "ownership_transferred": gettext_lazy("Became the owner"),
}
NEWEST = {"sortBy": "createdAt", "sortOrder": "desc"}


def _outcome(status: int) -> tuple[str, str]:
    """Return the tone and the label of an answer's status."""
    if status < 400:
        return "ok", gettext("Successful")
    return ("warn", gettext("Refused")) if status < 500 else ("bad", gettext("Failed"))


class LogPage(RecordList, Page):
    """Shared parts of the log's pages: the newest entries come first."""

    module = "logs"
    menu = MenuItem(
        gettext_lazy("Logs"),
        SETTINGS,
        40,
        "scroll-text",
        gettext_lazy("Developers"),
        gettext_lazy("audit log api requests log-ins logins sign-ins security history"),
    )
    template = "web/logs/list.html"
    words: ClassVar[str] = ""
    """Label of its tab."""

    @property
    def extra(self) -> Values:  # type: ignore[override]
        return {} if self.state.sort else NEWEST

    def show(self) -> Values:
        context = super().show()
        return {**context, "records": [self.entry_context(record) for record in context["records"]], "parts": PAGES}

    def entry_context(self, record: Values) -> JsonObject:
        return dict(record)


class Requests(LogPage):
    path = "settings/log"
    name = "log"
    title = gettext_lazy("API requests")
    none = gettext_lazy("No requests yet")
    count = ngettext_lazy("%(count)s request", "%(count)s requests")
    purpose = gettext_lazy("API requests, log-ins and member changes.")
    words = gettext_lazy("API requests")
    kind = Records("logs", "log", "scroll-text", gettext_lazy("Requests to the API."))
    rows = "web/logs/requests.html"
    hint = gettext_lazy("Address, email")
    columns = (
        Column("createdAt", gettext_lazy("When"), "createdAt"),
        Column("member", gettext_lazy("Who"), "user.name"),
        Column("method", gettext_lazy("Action"), "method"),
        Column("path", gettext_lazy("Address"), "path"),
        Column("status", gettext_lazy("Response"), "status"),
        Column("durationMs", gettext_lazy("Duration"), "durationMs", css="right num"),
        Column("ip", gettext_lazy("From")),
    )
    choices = (
        Choice(
            "method", gettext_lazy("Action"), ("in",), [(one, METHODS[one]) for one in ("GET", "POST", "PUT", "DELETE")]
        ),
        Choice("status", gettext_lazy("Response"), ("greaterThan", "lessThan", "equals"), kind="number"),
    )

    def entry_context(self, record: Values) -> JsonObject:
        status = record["status"]
        tone, label = _outcome(status)
        who = record["member"] or record["user"] or {}
        return {
            **record,
            "who": who.get("name") or who.get("email"),
            "way": WAYS.get(record["door"], record["door"]),
            "action": METHODS.get(record["method"], record["method"]),
            "tone": tone,
            "words": label,
        }


class Logins(LogPage):
    path = "settings/log/logins"
    name = "log-logins"
    title = gettext_lazy("Log-ins")
    none = gettext_lazy("No log-ins yet")
    count = ngettext_lazy("%(count)s log-in", "%(count)s log-ins")
    words = gettext_lazy("Log-ins")
    kind = Records("logs/login", "log-logins", "log-in", gettext_lazy("Logins and failed attempts."))
    rows = "web/logs/logins.html"
    hint = gettext_lazy("Name, email")
    columns = (
        Column("createdAt", gettext_lazy("When"), "createdAt"),
        Column("email", gettext_lazy("Who"), "email"),
        Column("status", gettext_lazy("Outcome"), "status"),
        Column("ip", gettext_lazy("From")),
        Column("userAgent", gettext_lazy("By"), "userAgent"),
    )
    choices = (
        Choice("status", gettext_lazy("Outcome"), ("in",), [(value, words) for value, (words, _) in LOGINS.items()]),
    )

    def entry_context(self, record: Values) -> JsonObject:
        label, tone = LOGINS.get(record["status"], (record["status"], "none"))
        return {**record, "words": label, "tone": tone}


class Memberships(LogPage):
    path = "settings/log/members"
    name = "log-members"
    title = gettext_lazy("Changes of members")
    none = gettext_lazy("No changes yet")
    count = ngettext_lazy("%(count)s change", "%(count)s changes")
    words = gettext_lazy("Members")
    kind = Records("logs/invite", "log-members", "users-round", gettext_lazy("Invites, roles, removals."))
    rows = "web/logs/members.html"
    hint = gettext_lazy("Name, email")
    columns = (
        Column("createdAt", gettext_lazy("When"), "createdAt"),
        Column("member", gettext_lazy("Member"), "member.name"),
        Column("action", gettext_lazy("Area"), "action"),
        Column("role", gettext_lazy("Role"), "role.name"),
        Column("actionBy", gettext_lazy("By"), "actionBy.name"),
        Column("detail", gettext_lazy("Details")),
    )
    choices = (Choice("action", gettext_lazy("Area"), ("in",), list(CHANGES.items())),)

    def entry_context(self, record: Values) -> JsonObject:
        return {**record, "words": CHANGES.get(record["action"], record["action"])}


PAGES = [Requests, Logins, Memberships]
