"""Options of forms for a workflow's trigger: frequent ones first, then the rest by subject."""

from __future__ import annotations

from collections.abc import Mapping

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
    "Most used": COMMON_TRIGGERS,
    "Contacts": ("contact", "contact-category", "enrich", "segment", "tag", "note"),
    "Leads": ("lead", "product-service"),
    "Mails and outreach": ("mail", "genie", "campaign", "conversation"),
    "Calendar, calls and follow-ups": ("meeting", "calllog", "follow-up"),
    "Your company": (),
}
"""Words of a group -> the kinds or the resources in it; the last one has the rest."""


def trigger_options(triggers: Mapping[str, str]) -> list[Option]:
    """Return the options for a workflow's trigger, group by group."""
    left = dict(triggers)
    options = []
    for group, names in GROUPS.items():
        kinds = [kind for name in names for kind in left if name in (kind, kind.partition(".")[0])]
        options += [Option(kind, left.pop(kind), group) for kind in (kinds if names else list(left))]
    return options
