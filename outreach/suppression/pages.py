"""The page of addresses that are never written to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from django.http import HttpResponse

from core.web.forms import Field, Form, Option
from core.web.lists import Choice, Column, ListState
from core.web.pages import MenuItem, Page

REASONS = {
    "manual": "Asked for",
    "unsubscribed": "Unsubscribed",
    "bounced": "No such mailbox",
    "complained": "Complained",
}
"""Reason -> its words."""


class Suppressions(Page):
    path = name = "suppressions"
    title = "Do not contact"
    template = "web/suppressions/list.html"
    module = "genie"
    menu = MenuItem("Do not contact", "mail-x", 56, "Outreach")
    columns = (
        Column("email", "Address", "email"),
        Column("reason", "Why", "reason"),
        Column("source", "Where from"),
        Column("createdBy", "By"),
        Column("createdAt", "Added", "createdAt"),
    )
    choices = (Choice("reason", "Why", ("in",), tuple(REASONS.items())),)

    @cached_property
    def state(self) -> ListState:
        return ListState(self.request.GET, {one.name: one for one in self.choices})

    def show(self) -> Mapping[str, Any]:
        found = self.read("suppression", self.state.query())
        return {
            "state": self.state,
            "choices": self.choices,
            "columns": self.columns,
            "rows": [{**one, "words": REASONS.get(one["reason"], one["reason"])} for one in found.data],
            "total": found.total,
            "more": self.state.more(found.next_cursor, len(found.data)) if found.next_cursor else None,
            "form": self.form(),
        }

    def form(self) -> Form:
        return Form(
            [
                Field("email", "Address", "email", required=True, placeholder="ann@example.org"),
                Field(
                    "reason", "Why", "select", True, options=[Option(*one) for one in REASONS.items()], value="manual"
                ),
                Field("source", "Where from", placeholder="Call on Monday"),
            ]
        )

    def do_save(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        answer = self.ask("POST", "suppression", None, {name: value for name, value in form.values.items() if value})
        if not answer.ok:
            return self.invalid(form, answer)
        return self.done(f"{answer.data['email']} is on the do-not-contact list")

    def do_delete(self) -> HttpResponse:
        sent, here = self.request.POST, self.request.path + self.state.link()
        if "all" in sent:
            answer = self.ask("DELETE", "suppression", self.state.selection(), {"selectAll": True})
        else:
            answer = self.ask("DELETE", "suppression", None, {"ids": sent.getlist("ids")})
        if not answer.ok:
            return self.refuse(answer, here)
        count = answer.data["deletedCount"]
        return self.done(f"Took {count:,} address{'' if count == 1 else 'es'} off the list", here)


PAGES = [Suppressions]
