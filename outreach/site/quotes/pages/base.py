"""Shared parts of the pages of quotes."""

from __future__ import annotations

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.navigation.places import LEADS, MenuItem
from core.web.pages import Page
from core.web.records import Records
from core.web.words.quotes import STATUSES

QUOTES = Records("quote", "quotes", "file-text", gettext_lazy("Customers accept quotes online."))


class QuotePage(Page):
    """Shared parts of the pages of quotes."""

    module = "lead"
    menu = MenuItem(
        gettext_lazy("Quotes"), LEADS, 15, "file-text", keywords=gettext_lazy("offers proposals estimates prices")
    )
    kind = QUOTES


def with_label(quote: Values) -> JsonObject:
    """Return a quote with its number and version, the customer's name, and the label and tone of its status."""
    label, tone = STATUSES[quote["status"]]
    if quote["replacedBy"]:
        label, tone = gettext_lazy("Replaced"), ""
    contact = quote["lead"]["contact"]
    version = f" v{quote['version']}" if quote["version"] > 1 else ""
    who = contact["name"] or contact["email"] or ""
    return {**quote, "label": quote["number"] + version, "words": label, "tone": tone, "who": who}
