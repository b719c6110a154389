"""Places of the side bar. Pages belong to them by their entry: a tab of a place, or a line in the list of settings."""

from __future__ import annotations

from dataclasses import dataclass

from core.text.translation import gettext_lazy


@dataclass(frozen=True)
class Place:
    """A link of the side bar. It opens the first of its tabs that the reader may open."""

    label: str
    icon: str
    group: str = ""
    key: str = ""
    """The letter that leads there after g."""
    is_in_bar: bool = False
    """Set for places that the bar of small screens shows; "More" has the others."""


HOME = Place(gettext_lazy("Home"), "house", key="h", is_in_bar=True)
INBOX = Place(gettext_lazy("Inbox"), "inbox", key="i", is_in_bar=True)
NOTIFICATIONS = Place(gettext_lazy("Notifications"), "bell", key="n")
CONTACTS = Place(gettext_lazy("Contacts"), "users", "CRM", "c", is_in_bar=True)
LEADS = Place(gettext_lazy("Leads"), "target", "CRM", "l", is_in_bar=True)
TASKS = Place(gettext_lazy("Tasks"), "list-todo", "CRM", "t")
CALENDAR = Place(gettext_lazy("Calendar"), "calendar", "CRM", "d")
OUTREACH = Place(gettext_lazy("Outreach"), "send", gettext_lazy("Marketing"), "o")
WORKFLOWS = Place(gettext_lazy("Workflows"), "workflow", gettext_lazy("Marketing"), "w")
WEBSITE = Place(gettext_lazy("Website"), "globe", gettext_lazy("Marketing"), "e")
REPORTS = Place(gettext_lazy("Reports"), "chart-column", gettext_lazy("Insights"), "r")
ASSISTANT = Place(gettext_lazy("Assistant"), "sparkles", gettext_lazy("Insights"), "a")
SETTINGS = Place(gettext_lazy("Settings"), "settings", key="s")
PLACES = (HOME, INBOX, CONTACTS, LEADS, TASKS, CALENDAR, OUTREACH, WORKFLOWS, WEBSITE, REPORTS, ASSISTANT, SETTINGS)
"""The links of the side bar, in order; notifications are the bell above them."""
SETTINGS_GROUPS = (
    "",
    gettext_lazy("Company"),
    gettext_lazy("People"),
    gettext_lazy("Data"),
    gettext_lazy("Sending"),
    gettext_lazy("Connections"),
    gettext_lazy("Developers"),
    gettext_lazy("Billing"),
    gettext_lazy("Your account"),
)
"""The headings of the list of settings, in order."""


@dataclass(frozen=True)
class MenuItem:
    """An entry of a place, which pages share: the list, its forms and its records."""

    label: str
    place: Place
    order: int
    icon: str
    group: str = ""
    """The heading in the list of settings."""
    keywords: str = ""
    """Further words by which the palette finds it."""
    needs: str = "GET"
    """The method that a reader needs on the page's module to be shown the entry."""


ORGANIZATIONS_MENU = MenuItem(
    gettext_lazy("Organizations"),
    CONTACTS,
    15,
    "building-2",
    keywords=gettext_lazy("companies firms accounts employers businesses"),
)
FORMS_MENU = MenuItem(
    gettext_lazy("Forms"),
    WEBSITE,
    10,
    "clipboard-list",
    keywords=gettext_lazy("sign-up signup web forms lead capture ads"),
)
SENDERS_MENU = MenuItem(
    gettext_lazy("Email senders"),
    SETTINGS,
    10,
    "at-sign",
    gettext_lazy("Sending"),
    gettext_lazy("smtp mail server mailboxes imap domain sending hours unsubscribe from address"),
)
WEBHOOKS_MENU = MenuItem(
    gettext_lazy("Webhooks"),
    SETTINGS,
    20,
    "webhook",
    gettext_lazy("Developers"),
    gettext_lazy("events callbacks integrations"),
)
PLAN_MENU = MenuItem(
    gettext_lazy("Plan and usage"),
    SETTINGS,
    10,
    "gauge",
    gettext_lazy("Billing"),
    gettext_lazy("subscription billing upgrade seats limits price cancel"),
)
"""Entries that pages of several modules share."""
