"""The home page of a company: the reader's open work, the numbers that link to their lists, and its profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.http import HttpResponse
from django.urls import NoReverseMatch
from django.utils.translation import gettext

from accounts.companies.serializers import CompanyUpdate
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.filters import SINCE
from core.web.forms import Fieldset, Form, Option
from core.web.forms.from_input import form_from_input
from core.web.navigation.places import HOME, SETTINGS, MenuItem
from core.web.pages import Page
from core.web.settings import SettingsForm
from core.web.shortcuts import shortcuts_of

DAYS = 14
ZONE = gettext_lazy("Type a city, such as Berlin.")
SERIES = {"sent": gettext_lazy("Sent"), "answered": gettext_lazy("Replied")}
"""Number of the API -> its label in the chart."""


@dataclass(frozen=True, slots=True)
class Step:
    """A first step as people see it, and the page that it opens."""

    label: str
    text: str
    button: str
    page: str
    module: str


WAITS = (
    (
        "drafts",
        ("genie", "POST"),
        "mail-check",
        gettext_lazy("draft to approve"),
        gettext_lazy("drafts to approve"),
        "messages",
    ),
    (
        "contactImportsToMend",
        ("contact", "POST"),
        "file-x",
        gettext_lazy("import with rows to correct"),
        gettext_lazy("imports with rows to correct"),
        "imports",
    ),
    (
        "unreadReplies",
        ("genie", "GET"),
        "mail-open",
        gettext_lazy("new reply"),
        gettext_lazy("new replies"),
        "received-mail",
    ),
    (
        "leadImportsToMend",
        ("lead", "POST"),
        "file-x",
        gettext_lazy("import of leads with rows to correct"),
        gettext_lazy("imports of leads with rows to correct"),
        "lead-imports",
    ),
    (
        "failingSenders",
        ("apps", "PUT"),
        "triangle-alert",
        gettext_lazy("sender or mailbox with an error"),
        gettext_lazy("senders or mailboxes with an error"),
        "senders",
    ),
    (
        "approvals",
        (),
        "user-check",
        gettext_lazy("approval request"),
        gettext_lazy("approval requests"),
        "workflow-approvals",
    ),
)
"""Open work: number of the API, permission of those who can act on it (none: everybody), icon, label for one and for
several, and page."""
STEPS = {
    "contacts": Step(
        gettext_lazy("Add contacts"),
        gettext_lazy("Import a file, or try sample people."),
        gettext_lazy("Import contacts"),
        "import-new",
        "contact",
    ),
    "sender": Step(
        gettext_lazy("Connect an email sender"),
        gettext_lazy("Your emails are sent from this account."),
        gettext_lazy("Connect a sender"),
        "sender-new",
        "apps",
    ),
    "run": Step(
        gettext_lazy("Write your first outreach"),
        gettext_lazy("Describe your offer once. Each contact gets a draft."),
        gettext_lazy("Write outreach"),
        "outreach-new",
        "genie",
    ),
    "members": Step(
        gettext_lazy("Invite a colleague"),
        gettext_lazy("Choose a role for each colleague."),
        gettext_lazy("Invite a colleague"),
        "member-new",
        "member",
    ),
}
"""Step of the API -> its texts, its page and its module, in the order that people do them."""


class Home(Page):
    path = ""
    name = "home"
    title = gettext_lazy("Home")
    template = "web/home/home.html"
    menu = MenuItem(gettext_lazy("Home"), HOME, 10, "house", keywords=gettext_lazy("overview numbers"))

    def show(self) -> Values:
        answer = self.ask("GET", "company/overview", {"days": str(DAYS)})
        overview: Values = answer.data if answer.ok else {"numbers": {}, "days": [], "since": ""}
        numbers = overview["numbers"]
        due = None
        if self.may("lead-activity", "PATCH"):
            mine = {"status": "open", "assignee": self.actor.member_id}
            conditions = [{"field": name, "operator": "equals", "value": True} for name in ("overdue", "today")]
            due_by_tonight = {"operator": "or", "conditions": conditions}
            query: JsonObject = {"filters": mine, "advancedFilters": due_by_tonight, "p": "1", "n": "5"}
            due = self.ask("GET", "task", {**query, "sortBy": "dueAt", "sortOrder": "asc"})
        follow_ups = due.data if due is not None and due.ok else []
        quiet = not follow_ups and not any(numbers.values())
        return {
            "stats": self.stats(numbers, overview["since"]),
            "chart": self.chart(overview["days"]),
            "waits": self.waits(numbers),
            "follow_ups": follow_ups,
            "is_empty": quiet and self.has_nobody(),
            "first_steps": self.may("company") and not is_dismissed(self.reader.layout),
            "lately": DAYS,
        }

    def stats(self, numbers: Mapping[str, int | None], begin: str) -> list[tuple[str, int | None, str]]:
        """Return (label, number, address of the counted records) of up to four numbers that the reader may see."""
        options = [
            ("newContacts", gettext("New contacts"), "contacts", f"createdAt:{SINCE}:{begin}"),
            ("sent", gettext("Messages sent"), "messages", f"handedAt:{SINCE}:{begin}", "status:in:sent"),
            ("answered", gettext("Contacts who replied"), "contacts", f"repliedAt:{SINCE}:{begin}"),
            ("newLeads", gettext("New leads"), "leads", f"createdAt:{SINCE}:{begin}"),
        ]
        seen = [option for option in options if numbers.get(option[0]) is not None]
        return [(label, numbers[name], self.link_to(page, f=filters)) for name, label, page, *filters in seen[:4]]

    def chart(self, days: list[Values]) -> JsonObject | None:
        """Return the sent and answered messages by day, or None if the reader may not see them."""
        if not days or days[0]["numbers"]["sent"] is None:
            return None
        labels = {name: label for name, label in SERIES.items() if days[0]["numbers"][name] is not None}
        rows = [(date.fromisoformat(day["day"]), [day["numbers"][name] for name in labels]) for day in days]
        return {"names": list(labels.values()), "rows": rows, "any": any(sum(counts) for _, counts in rows)}

    def waits(self, numbers: Mapping[str, int | None]) -> list[tuple[str, str, str]]:
        """Return (icon, text, address) of the reader's open work."""
        entries = []
        for name, needed, icon, singular, several, page in WAITS:
            count = numbers.get(name) if not needed or self.may(*needed) else 0
            if count:
                address = self.review() if name == "drafts" else self.link_to(page)
                entries.append((icon, f"{count:,} {singular if count == 1 else several}", address))
        return entries

    def review(self) -> str:
        """Return the page where the drafts are approved: the review of the one outreach that waits, or all of them."""
        query = {"filters": {"phase": "awaiting_approval"}, "p": "1", "n": "2"}
        answer = self.ask("GET", "genie", query)
        if answer.ok and len(answer.data) == 1:
            return self.address("outreach-review", answer.data[0]["_id"])
        return self.link_to("messages", f="status:in:draft")

    def has_nobody(self) -> bool:
        """Return whether there is no contact at all, as far as the reader may see."""
        answer = self.ask("GET", "contact", {"p": "1", "n": "1"}) if self.may("contact") else None
        return answer is not None and answer.ok and not answer.data

    def link_to(self, name: str, **query: Any) -> str:
        """Return the address of a page, or "" if no page has that name."""
        try:
            return self.address(name, **query)
        except NoReverseMatch:
            return ""


class FirstSteps(Page):
    """A new company's first steps: a part of the home page, loaded after the page itself."""

    path = name = "first-steps"
    title = gettext_lazy("First steps")
    template = "web/home/first_steps.html"
    module = "company"

    def show(self) -> Values:
        done = {row["step"]: row["isDone"] for row in self.read("company/first-steps").data["steps"]}
        names = [name for name, step in STEPS.items() if name in done and self.may(step.module, "POST")]
        following = next((name for name in names if not done[name]), "")
        steps = [
            {
                "label": STEPS[name].label,
                "text": STEPS[name].text,
                "button": STEPS[name].button,
                "address": self.link_to(STEPS[name].page),
                "is_done": done[name],
                "is_next": name == following,
                "shortcuts": self.shortcuts(name, done[name]) if done[name] or name == following else [],
            }
            for name in names
        ]
        steps_left = sum(not step["is_done"] for step in steps)
        is_kept = any(step["is_done"] and step["shortcuts"] for step in steps)
        return {
            "steps": steps,
            "left": steps_left,
            "is_shown": steps_left or is_kept,
            "dismissed": is_dismissed(self.reader.layout),
        }

    def shortcuts(self, step: str, is_done: bool) -> list[JsonObject]:
        """Return the buttons of a step."""
        return [
            {"label": shortcut.label, "address": self.address(shortcut.page), "do": shortcut.do}
            for shortcut in shortcuts_of(self, step, is_done=is_done)
        ]

    def link_to(self, name: str) -> str:
        """Return the address of a page, or "" if no page has that name."""
        try:
            return self.address(name)
        except NoReverseMatch:
            return ""

    def do_dismiss(self) -> HttpResponse:
        layout = {**self.reader.layout, "firstSteps": False}
        answer = self.ask_private("PUT", "profile", None, {"layout": layout})
        return (
            self.redirect_with_toast(to=self.address("home"))
            if answer.ok
            else self.refuse(answer, self.address("home"))
        )


def is_dismissed(layout: Values) -> bool:
    """Return whether the person no longer wants to see first steps."""
    return layout.get("firstSteps") is False


PROFILE_FIELDSETS = (
    Fieldset(gettext_lazy("Company"), ("name", "description", ("industry", "website"))),
    Fieldset(gettext_lazy("Contact details"), (("email", "contactNumber"),)),
    Fieldset(gettext_lazy("Address"), ("address", ("postalCode", "city"), ("state", "country"), "timezone")),
)


class CompanyProfile(SettingsForm):
    path = "settings/company"
    name = "company"
    title = gettext_lazy("Company profile")
    menu = MenuItem(
        gettext_lazy("Company profile"),
        SETTINGS,
        10,
        "building-2",
        gettext_lazy("Company"),
        gettext_lazy("name address country time zone timezone language industry"),
    )
    purpose = gettext_lazy("Your company's name, address and description.")
    module = "company"
    resource = "company"
    needs_subscription = False

    form_class = form_from_input(
        CompanyUpdate,
        {
            "name": gettext_lazy("Name"),
            "description": gettext_lazy("What you do"),
            "industry": gettext_lazy("Industry"),
            "website": gettext_lazy("Website"),
            "email": gettext_lazy("Email"),
            "contactNumber": gettext_lazy("Phone"),
            "address": gettext_lazy("Street and house number"),
            "postalCode": gettext_lazy("Postal code"),
            "city": gettext_lazy("City"),
            "state": gettext_lazy("State"),
            "country": gettext_lazy("Country"),
            "timezone": gettext_lazy("Time zone"),
        },
        kinds={"address": "text", "country": "select", "timezone": "search"},
        help_texts={"description": gettext_lazy("Used to write messages to contacts."), "timezone": ZONE},
        placeholders={"website": "https://", "contactNumber": "+44 7400 123456"},
        autocomplete={"name": "organization"},
        required=("name", "timezone"),
        fieldsets=PROFILE_FIELDSETS,
    )

    def form(self, values: Values | None = None) -> Form:
        form = super().form(values)
        places = self.ask_private("GET", "country-state-city")
        countries = [Option(row["iso2"], row["name"]) for row in places.data["countries"]] if places.ok else []
        zones = self.ask_private("GET", "timezones")
        hours = [Option(row["name"], row["label"]) for row in zones.data["timezones"]] if zones.ok else []
        form.fields["country"].options = countries
        form.fields["timezone"].options = hours
        return form


PAGES = [Home, FirstSteps, CompanyProfile]
