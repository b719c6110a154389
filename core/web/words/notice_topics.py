"""The topics of notifications: the headings under which members choose them."""

from __future__ import annotations

from collections.abc import Iterable

from core.text.translation import gettext_lazy
from core.web.forms.fieldsets import REST, Fieldset

TOPICS = (
    (gettext_lazy("Leads and data"), ("form", "import", "bulk-job", "task", "comment", "quote")),
    (gettext_lazy("Outreach"), ("run", "reply")),
    (gettext_lazy("Conversations"), ("conversation",)),
    (gettext_lazy("Connections"), ("sender", "mailbox", "calendar", "social_app", "webhook")),
    (gettext_lazy("Billing"), ("subscription", "invoice", "payment", "payment_method", "limit")),
    (gettext_lazy("Account"), ("member", "staff")),
)
"""Headings, and the first parts of the names of their notifications."""


def topic_fieldsets(kinds: Iterable[str]) -> list[Fieldset]:
    """Return a section for each topic with notifications; the last one has those of no topic."""
    names = list(kinds)
    sections = [
        Fieldset(heading, [name for name in names if name.partition(".")[0] in topics]) for heading, topics in TOPICS
    ]
    return [*(section for section in sections if section.fields), Fieldset(gettext_lazy("Other"), (REST,))]
