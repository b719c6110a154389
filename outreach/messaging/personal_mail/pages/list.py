"""The list of drafts and sent emails."""

from __future__ import annotations

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.filters import DATE, Choice
from core.web.lists import Column, ListState
from outreach.messaging.personal_mail.pages.base import EmailPage, shown

TABS = (
    ("", gettext_lazy("Drafts")),
    ("scheduled", gettext_lazy("Scheduled")),
    ("sent", gettext_lazy("Sent")),
    ("failed", gettext_lazy("Not sent")),
)
IN_TAB = {
    "": ("draft",),
    "scheduled": ("scheduled", "held", "sending"),
    "sent": ("sent", "unknown"),
    "failed": ("failed", "cancelled", "suppressed"),
}
"""Filter of the list -> the statuses that it shows."""


class Emails(EmailPage):
    path = name = "emails"
    title = gettext_lazy("Drafts and sent")
    template = "web/emails/list.html"
    columns = (
        Column("contact", gettext_lazy("To"), "contact.name"),
        Column("subject", gettext_lazy("Subject"), "subject"),
        Column("status", gettext_lazy("Status")),
        Column("createdBy", gettext_lazy("Written by")),
        Column("updatedAt", gettext_lazy("Changed"), "updatedAt"),
    )
    choices = (
        Choice("sentAt", gettext_lazy("Sent"), DATE, kind="date"),
        Choice("sendAt", gettext_lazy("Scheduled for"), DATE, kind="date"),
    )

    def show(self) -> Values:
        only = self.request.GET.get("only", "")
        only = only if only in IN_TAB else ""
        fixed = [{"field": "status", "operator": "in", "value": list(IN_TAB[only])}]
        choices = {entry.name: entry for entry in self.choices}
        state = ListState(self.request.GET, choices, keeps=("only",), fixed=fixed, zone=self.zone_name)
        answer = self.read("message", state.query())
        return {
            "state": state,
            "choices": self.choices,
            "columns": self.columns,
            "mails": [shown(mail) for mail in answer.data],
            "total": answer.total,
            "more": state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
            "only": only,
            "tabs": TABS,
        }
