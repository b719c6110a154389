"""The list of drafts and sent emails."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import Values
from core.web.filters import DATE, Choice
from core.web.lists import Column, ListState
from outreach.messaging.personal_mail.pages.base import EmailPage, with_status_label

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


DELETED = ngettext_lazy("Deleted %(count)s draft", "Deleted %(count)s drafts")


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

    @cached_property
    def tab(self) -> str:
        """The tab, by its name in the address."""
        only = self.request.GET.get("only", "")
        return only if only in IN_TAB else ""

    @cached_property
    def state(self) -> ListState:
        fixed = [{"field": "status", "operator": "in", "value": list(IN_TAB[self.tab])}]
        choices = {entry.name: entry for entry in self.choices}
        return ListState(self.request.GET, choices, keeps=("only",), fixed=fixed, zone=self.zone_name)

    def show(self) -> Values:
        state = self.state
        answer = self.read("message", state.query())
        return {
            "state": state,
            "pick": not self.tab and self.may("genie", "DELETE"),
            "choices": self.choices,
            "columns": self.columns,
            "mails": [with_status_label(mail) for mail in answer.data],
            "total": answer.total,
            "more": state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
            "only": self.tab,
            "tabs": TABS,
        }

    def do_delete(self) -> HttpResponse:
        """Delete the chosen drafts."""
        sent = self.request.POST
        here = self.request.path + self.state.link()
        if "all" in sent:
            answer = self.ask("DELETE", "message", self.state.selection(), {"selectAll": True})
        else:
            answer = self.ask("DELETE", "message", None, {"ids": sent.getlist("ids")})
        if not answer.ok:
            return self.refuse(answer, here)
        return self.redirect_with_toast(DELETED.of(answer.data["deletedCount"]), here)
