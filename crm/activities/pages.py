"""The pages of follow-ups and calls."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from django.http import HttpResponse

from core.web.lists import Choice, ListState
from core.web.pages import MenuItem, Page

TABS = (("open", "Open"), ("mine", "Yours"), ("done", "Done"))
EMPTY = {"open": "Nothing is to be done", "mine": "Nothing waits for you", "done": "Nothing is done yet"}
OUTCOMES = (
    ("connected", "Connected"),
    ("no_answer", "No answer"),
    ("busy", "Busy"),
    ("voicemail", "Voicemail"),
    ("wrong_number", "Wrong number"),
    ("failed", "Failed"),
)
WHEN = ("before", "after")


class FollowUps(Page):
    """The open follow-ups by their time, so that those overdue come first; and what is done, the last first."""

    path = name = "follow-ups"
    title = "Follow-ups"
    template = "web/follow_ups/list.html"
    module = "lead-activity"
    menu = MenuItem("Follow-ups", "bell", 40)

    choices = (
        Choice("lead.contact.name", "Contact"),
        Choice("assignee.name", "Assigned to"),
        Choice("dueAt", "When", WHEN),
    )

    @cached_property
    def state(self) -> ListState:
        return ListState(self.request.GET, {one.name: one for one in self.choices}, ("tab",))

    @property
    def tab(self) -> str:
        chosen = self.request.GET.get("tab", "")
        return chosen if chosen in EMPTY else "open"

    def show(self) -> Mapping[str, Any]:
        filters: dict[str, Any] = {"status": "done" if self.tab == "done" else "open"}
        if self.tab == "mine":
            filters["assignee"] = self.actor.member_id
        by, way = ("doneAt", "desc") if self.tab == "done" else ("dueAt", "asc")
        found = self.read(
            "lead-activity/follow-up", {**self.state.query(), "sortBy": by, "sortOrder": way, "filters": filters}
        )
        return {
            "follow_ups": found.data,
            "state": self.state,
            "choices": self.choices,
            "tabs": [(self.state.link(tab=name), label, name == self.tab) for name, label in TABS],
            "empty": EMPTY[self.tab],
            "counted": f"{found.total or 0:,} follow-up{'' if found.total == 1 else 's'}",
            "more": self.state.more(found.next_cursor, len(found.data)) if found.next_cursor else None,
        }

    def do_done(self) -> HttpResponse:
        return self._set("done", "Done")

    def do_reopen(self) -> HttpResponse:
        return self._set("open", "Open again")

    def _set(self, status: str, text: str) -> HttpResponse:
        answer = self.ask("PATCH", f"lead-activity/follow-up/{self.sent_id()}", None, {"status": status})
        return self.done(text) if answer.ok else self.refuse(answer)


class Calls(Page):
    path = name = "calls"
    title = "Calls"
    template = "web/calls/list.html"
    module = "lead-activity"
    menu = MenuItem("Calls", "phone", 46)

    choices = (
        Choice("contact.name", "Contact"),
        Choice("member.name", "Who had it"),
        Choice("direction", "Direction", ("in",), (("outbound", "Called"), ("inbound", "Was called"))),
        Choice("outcome", "Outcome", ("in",), OUTCOMES),
        Choice("startedAt", "When", WHEN),
    )

    @cached_property
    def state(self) -> ListState:
        return ListState(self.request.GET, {one.name: one for one in self.choices})

    def show(self) -> Mapping[str, Any]:
        query = {**self.state.query(), "sortBy": "startedAt", "sortOrder": "desc"}
        found = self.read("calllog", query)
        return {
            "calls": found.data,
            "state": self.state,
            "choices": self.choices,
            "counted": f"{found.total or 0:,} call{'' if found.total == 1 else 's'}",
            "more": self.state.more(found.next_cursor, len(found.data)) if found.next_cursor else None,
        }


PAGES = [FollowUps, Calls]
