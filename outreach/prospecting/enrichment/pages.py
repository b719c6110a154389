"""The page of proposals from enrichment apps for contacts, to be accepted or rejected."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.filters import Choice
from core.web.lists import Column, ListState
from core.web.navigation.places import CONTACTS, MenuItem
from core.web.pages import Page

STATES = {
    "proposed": (gettext_lazy("Open"), "warn"),
    "accepted": (gettext_lazy("Accepted"), "ok"),
    "rejected": (gettext_lazy("Rejected"), ""),
}
"""Status -> its label, and the tone of its badge."""
FIELDS = {"name": gettext_lazy("Name"), "email": gettext_lazy("Email"), "number": gettext_lazy("Phone")}


class Proposals(Page):
    path = name = "proposals"
    title = gettext_lazy("Suggestions")
    template = "web/proposals/list.html"
    module = "enrich"
    menu = MenuItem(
        gettext_lazy("Suggestions"),
        CONTACTS,
        40,
        "user-check",
        keywords=gettext_lazy("proposals enrichment enrich people data"),
    )
    columns = (
        Column("contact", gettext_lazy("Contact")),
        Column("text", gettext_lazy("Suggestion"), "text"),
        Column("current", gettext_lazy("Now")),
        Column("source", gettext_lazy("By"), "source"),
        Column("status", gettext_lazy("Status"), "status"),
    )
    choices = (
        Choice("status", gettext_lazy("Status"), ("in",), tuple((name, words) for name, (words, _) in STATES.items())),
    )

    @cached_property
    def state(self) -> ListState:
        ids = [text.split(":", 2)[-1] for text in self.request.GET.getlist("f") if text.startswith("contact:")]
        linked = Choice("contact", gettext("Contact"), ("in",), [(id, gettext("Selected contact")) for id in ids])
        return ListState(
            self.request.GET, {choice.name: choice for choice in (*self.choices, linked)}, zone=self.zone_name
        )

    def show(self) -> Values:
        answer = self.read("enrichment-proposal", self.state.query())
        rows = []
        for proposal in answer.data:
            label, tone = STATES[proposal["status"]]
            rows.append(
                {
                    **proposal,
                    "label": proposal["fieldName"] or FIELDS.get(proposal["field"], ""),
                    "words": label,
                    "tone": tone,
                }
            )
        return {
            "state": self.state,
            "choices": self.choices,
            "columns": self.columns,
            "rows": rows,
            "total": answer.total,
            "more": self.state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
        }

    def do_accept(self) -> HttpResponse:
        return self._decide("accept", gettext("Accepted and saved to the contact"))

    def do_reject(self) -> HttpResponse:
        return self._decide("reject", gettext("Rejected"))

    def _decide(self, action: str, message: str) -> HttpResponse:
        here = self.request.path + self.state.link()
        answer = self.ask("POST", f"enrichment-proposal/{self.sent_id()}/{action}")
        return self.redirect_with_toast(message, here) if answer.ok else self.refuse(answer, here)


PAGES = [Proposals]
