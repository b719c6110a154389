"""The pages of the log: API requests, log-ins, changes of members."""

from __future__ import annotations

from typing import ClassVar

from django.utils.translation import gettext

from core.types import JsonObject, Values
from core.web.filters import Choice
from core.web.lists import Column
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from core.web.records import RecordList, Records

WAYS = {"key": "API key", "session": "Browser or app", "private": "Own account", "public": "Without log-in"}
METHODS = {"GET": "Read", "POST": "Add", "PUT": "Change", "PATCH": "Change", "DELETE": "Delete"}
LOGINS = {"success": ("Logged in", "ok"), "failed": ("Refused", "bad"), "limited": ("Too many attempts", "warn")}
CHANGES = {
    "invited": "Invited",
    "resent": "Invited again",
    "accepted": "Joined",
    "rejected": "Declined",
    "expired": "Invite expired",
    "role_changed": "Role changed",
    "blocked": "Blocked",
    "unblocked": "Unblocked",
    "removed": "Removed",
    "ownership_transferred": "Became the owner",
}
NEWEST = {"sortBy": "createdAt", "sortOrder": "desc"}


def _outcome(status: int) -> tuple[str, str]:
    """Return the tone and the label of an answer's status."""
    if status < 400:
        return "ok", gettext("Done")
    return ("warn", gettext("Refused")) if status < 500 else ("bad", gettext("Failed"))


class LogPage(RecordList, Page):
    """Shared parts of the log's pages: the newest entries come first."""

    module = "logs"
    menu = MenuItem(
        "Logs",
        SETTINGS,
        40,
        "scroll-text",
        "Developers",
        "audit log api requests log-ins logins sign-ins security history",
    )
    template = "web/logs/list.html"
    words: ClassVar[str] = ""
    """Label of its tab."""

    @property
    def extra(self) -> Values:  # type: ignore[override]
        return {} if self.state.sort else NEWEST

    def show(self) -> Values:
        context = super().show()
        return {**context, "records": [self.shown(record) for record in context["records"]], "parts": PAGES}

    def shown(self, record: Values) -> JsonObject:
        return dict(record)


class Requests(LogPage):
    path = "settings/log"
    name = "log"
    title = "API requests"
    purpose = "API requests, log-ins and member changes."
    words = "API requests"
    kind = Records("logs", "log", "request", "requests", "scroll-text", "Requests to the API.")
    rows = "web/logs/requests.html"
    hint = "Address, email"
    columns = (
        Column("createdAt", "When", "createdAt"),
        Column("member", "Who", "user.name"),
        Column("method", "Action", "method"),
        Column("path", "Address", "path"),
        Column("status", "Response", "status"),
        Column("durationMs", "Duration", "durationMs", css="right num"),
        Column("ip", "From"),
    )
    choices = (
        Choice("method", "Action", ("in",), [(one, METHODS[one]) for one in ("GET", "POST", "PUT", "DELETE")]),
        Choice("status", "Response", ("greaterThan", "lessThan", "equals"), kind="number"),
    )

    def shown(self, record: Values) -> JsonObject:
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
    title = "Log-ins"
    words = "Log-ins"
    kind = Records("logs/login", "log-logins", "log-in", "log-ins", "log-in", "Logins and failed attempts.")
    rows = "web/logs/logins.html"
    hint = "Name, email"
    columns = (
        Column("createdAt", "When", "createdAt"),
        Column("email", "Who", "email"),
        Column("status", "Outcome", "status"),
        Column("ip", "From"),
        Column("userAgent", "By", "userAgent"),
    )
    choices = (Choice("status", "Outcome", ("in",), [(value, words) for value, (words, _) in LOGINS.items()]),)

    def shown(self, record: Values) -> JsonObject:
        label, tone = LOGINS.get(record["status"], (record["status"], "none"))
        return {**record, "words": label, "tone": tone}


class Memberships(LogPage):
    path = "settings/log/members"
    name = "log-members"
    title = "Changes of members"
    words = "Members"
    kind = Records("logs/invite", "log-members", "change", "changes", "users-round", "Invites, roles, removals.")
    rows = "web/logs/members.html"
    hint = "Name, email"
    columns = (
        Column("createdAt", "When", "createdAt"),
        Column("member", "Member", "member.name"),
        Column("action", "Area", "action"),
        Column("role", "Role", "role.name"),
        Column("actionBy", "By", "actionBy.name"),
        Column("detail", "Details"),
    )
    choices = (Choice("action", "Area", ("in",), list(CHANGES.items())),)

    def shown(self, record: Values) -> JsonObject:
        return {**record, "words": CHANGES.get(record["action"], record["action"])}


PAGES = [Requests, Logins, Memberships]
