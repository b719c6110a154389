"""Texts for numbers of things that several pages count."""

from __future__ import annotations

from core.text.translation import ngettext_lazy

CONTACTS = ngettext_lazy("%(count)s contact", "%(count)s contacts")
LEADS = ngettext_lazy("%(count)s lead", "%(count)s leads")
ORGANIZATIONS = ngettext_lazy("%(count)s organization", "%(count)s organizations")
MESSAGES = ngettext_lazy("%(count)s message", "%(count)s messages")
ROWS = ngettext_lazy("%(count)s row", "%(count)s rows")
RECORD_COUNTS = {"contact": CONTACTS, "lead": LEADS, "organization": ORGANIZATIONS}
"""Panel -> text."""
MINUTES_BEFORE = ngettext_lazy("%(count)s minute before", "%(count)s minutes before")
SPANS = {
    "seconds": ngettext_lazy("%(count)s second", "%(count)s seconds"),
    "minutes": ngettext_lazy("%(count)s minute", "%(count)s minutes"),
    "hours": ngettext_lazy("%(count)s hour", "%(count)s hours"),
    "days": ngettext_lazy("%(count)s day", "%(count)s days"),
    "weeks": ngettext_lazy("%(count)s week", "%(count)s weeks"),
    "months": ngettext_lazy("%(count)s month", "%(count)s months"),
}
"""Unit of a span of time -> text."""
