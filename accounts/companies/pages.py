"""The home page of a company: what waits for the reader, and the numbers that lead to their lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import NoReverseMatch

from core.web.pages import MenuItem, Page

ONE = {"p": "1", "n": "1"}


class Home(Page):
    path = ""
    name = "home"
    title = "Home"
    template = "web/home/home.html"
    menu = MenuItem("Home", "house", 10, tab=True)

    def show(self) -> Mapping[str, Any]:
        contacts = self.count("contact")
        leads = self.count("lead")
        drafts = self.count("genie/send-jobs", {"filters": {"status": "draft"}}, module="genie")
        due = None
        if self.may("lead-activity"):
            query = {"filters": {"status": "open"}, "sortBy": "dueAt", "sortOrder": "asc", "p": "1", "n": "5"}
            due = self.ask("GET", "lead-activity/follow-up", query)
        stats = [
            ("Contacts", contacts, self.link_to("contacts")),
            ("Leads", leads, self.link_to("leads")),
            ("Drafts to approve", drafts, self.link_to("outreach")),
        ]
        return {
            "stats": [one for one in stats if one[1] is not None],
            "drafts": drafts,
            "outreach": self.link_to("outreach"),
            "follow_ups": due.data if due is not None and due.ok else [],
            "is_empty": contacts == 0 and not leads,
        }

    def count(self, path: str, query: Mapping[str, Any] | None = None, *, module: str = "") -> int | None:
        """Return how many records match, or None if the reader may not see them."""
        if not self.may(module or path):
            return None
        answer = self.ask("GET", path, {**ONE, **(query or {})})
        return answer.total if answer.ok else None

    def link_to(self, name: str) -> str:
        """Return the address of a page, or "" while there is none of that name."""
        try:
            return self.address(name)
        except NoReverseMatch:
            return ""


PAGES = [Home]
