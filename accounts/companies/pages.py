"""The home page of a company: what waits for the reader, and the numbers that lead to their lists; and its profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import NoReverseMatch

from core.web.forms import Field, Form, Option
from core.web.pages import MenuItem, Page
from core.web.settings import SettingsForm

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


class CompanyProfile(SettingsForm):
    path = "settings/company"
    name = "company"
    title = "Company"
    tab = "Company"
    place = 10
    icon = "building-2"
    about = "Who you are, as messages to contacts tell it."
    module = "company"
    resource = "company"
    needs_subscription = False

    def form(self, values: Mapping[str, Any] | None = None) -> Form:
        places = self.ask_private("GET", "country-state-city")
        countries = [Option(one["iso2"], one["name"]) for one in places.data["countries"]] if places.ok else []
        zones = self.ask_private("GET", "timezones")
        hours = [Option(one["name"], one["label"]) for one in zones.data["timezones"]] if zones.ok else []
        fields = [
            Field("name", "Name", required=True, autocomplete="organization"),
            Field("description", "What you do", "textarea", help="Messages to contacts are written from it."),
            Field("industry", "Industry"),
            Field("website", "Website", "url", placeholder="https://"),
            Field("email", "E-mail", "email"),
            Field("contactNumber", "Phone", "tel", placeholder="+44 7400 123456"),
            Field("address", "Street and house number"),
            Field("postalCode", "Postal code"),
            Field("city", "City"),
            Field("state", "State"),
            Field("country", "Country", "select", options=countries),
            Field("timezone", "Time zone", "select", required=True, options=hours),
        ]
        return Form(fields, values)


PAGES = [Home, CompanyProfile]
