"""Options of forms for a workflow's trigger: frequent ones first, then the rest by subject."""

from __future__ import annotations

from collections.abc import Mapping

from core.text.translation import gettext_lazy
from core.web.forms import Option

COMMON_TRIGGERS = (
    "contact.created",
    "contact.updated",
    "lead.created",
    "lead.updated",
    "mail.replied",
    "segment.entered",
    "schedule",
    "webhook",
    "manual",
)
GROUPS = {
    gettext_lazy("Most used"): COMMON_TRIGGERS,
    gettext_lazy("Contacts"): ("contact", "contact-category", "enrich", "segment", "tag", "note"),
    gettext_lazy("Leads"): ("lead", "product-service"),
    gettext_lazy("Forms and bookings"): ("form", "meeting"),
    gettext_lazy("Messages"): ("mail", "conversation"),
    gettext_lazy("Outreach"): ("genie", "campaign"),
    gettext_lazy("Tasks and calls"): ("follow-up", "calllog"),
    gettext_lazy("Billing"): ("invoice", "payment"),
    gettext_lazy("Your company"): (),
}
"""Words of a group -> the kinds or the resources in it; the last one has the rest."""


def trigger_options(triggers: Mapping[str, str]) -> list[Option]:
    """Return the options for a workflow's trigger, group by group."""
    left = dict(triggers)
    options = []
    for group, names in GROUPS.items():
        kinds = [kind for name in names for kind in left if name in (kind, kind.partition(".")[0])]
        chosen = kinds if names else list(left)
        if names is not COMMON_TRIGGERS:
            chosen = sorted(chosen, key=lambda kind: left[kind])
        options += [Option(kind, left.pop(kind), str(group)) for kind in chosen]
    return options
