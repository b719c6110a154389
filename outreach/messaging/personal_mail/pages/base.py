"""Shared parts of the pages of members' emails."""

from __future__ import annotations

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.navigation.places import INBOX, MenuItem
from core.web.pages import Page

STATUSES = {
    "draft": (gettext_lazy("Draft"), ""),
    "held": (gettext_lazy("Send again"), "warn"),
    "scheduled": (gettext_lazy("Scheduled"), "info"),
    "sending": (gettext_lazy("Sending"), "info"),
    "sent": (gettext_lazy("Sent"), "ok"),
    "failed": (gettext_lazy("Failed"), "bad"),
    "unknown": (gettext_lazy("Delivery unknown"), "warn"),
    "cancelled": (gettext_lazy("Cancelled"), ""),
    "suppressed": (gettext_lazy("Skipped"), "bad"),
}
"""Status -> its label, and the tone of its badge."""


def with_status_label(mail: Values) -> JsonObject:
    """Return an email with the label and the tone of its status."""
    label, tone = STATUSES.get(mail["status"], (mail["status"], ""))
    contact = mail["contact"] or {}
    return {**mail, "words": label, "mood": tone, "who": contact.get("name") or contact.get("email") or ""}


class EmailPage(Page):
    """Shared parts of the pages of members' emails."""

    module = "genie"
    menu = MenuItem(
        gettext_lazy("Drafts and sent"),
        INBOX,
        25,
        "mail-plus",
        keywords=gettext_lazy("write email compose scheduled outbox"),
    )
