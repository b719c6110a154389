"""Places of the side bar. Pages belong to them by their entry: a tab of a place, or a line in the list of settings."""

from __future__ import annotations

from dataclasses import dataclass


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


HOME = Place("Home", "house", key="h", is_in_bar=True)
INBOX = Place("Inbox", "inbox", key="i", is_in_bar=True)
NOTIFICATIONS = Place("Notifications", "bell", key="n")
CONTACTS = Place("Contacts", "users", "CRM", "c", is_in_bar=True)
LEADS = Place("Leads", "target", "CRM", "l", is_in_bar=True)
TASKS = Place("Tasks", "list-todo", "CRM", "t")
CALENDAR = Place("Calendar", "calendar", "CRM", "d")
OUTREACH = Place("Outreach", "send", "Marketing", "o")
WORKFLOWS = Place("Workflows", "workflow", "Marketing", "w")
WEBSITE = Place("Website", "globe", "Marketing", "e")
REPORTS = Place("Reports", "chart-column", "Insights", "r")
ASSISTANT = Place("Assistant", "sparkles", "Insights", "a")
SETTINGS = Place("Settings", "settings", key="s")
PLACES = (HOME, INBOX, CONTACTS, LEADS, TASKS, CALENDAR, OUTREACH, WORKFLOWS, WEBSITE, REPORTS, ASSISTANT, SETTINGS)
"""The links of the side bar, in order; notifications are the bell above them."""
SETTINGS_GROUPS = (
    "",
    "Company",
    "People",
    "Data",
    "Sending",
    "Connections",
    "Developers",
    "Billing",
    "Your account",
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


FORMS_MENU = MenuItem("Forms", WEBSITE, 10, "clipboard-list", keywords="sign-up signup web forms lead capture ads")
SENDERS_MENU = MenuItem(
    "Email senders",
    SETTINGS,
    10,
    "at-sign",
    "Sending",
    "smtp mail server mailboxes imap domain sending hours unsubscribe from address",
)
WEBHOOKS_MENU = MenuItem("Webhooks", SETTINGS, 20, "webhook", "Developers", "events callbacks integrations")
PLAN_MENU = MenuItem(
    "Plan and usage", SETTINGS, 10, "gauge", "Billing", "subscription billing upgrade seats limits price cancel"
)
"""Entries that pages of several modules share."""
