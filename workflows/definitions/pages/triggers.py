"""The field of a workflow's trigger: frequent ones first, then the rest by subject, with a search over them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.text.translation import gettext_lazy
from core.web.flows.schemas import with_chosen
from core.web.forms import Field, Option

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
    gettext_lazy("Contacts"): (
        "contact",
        "organization",
        "contact-category",
        "enrich",
        "segment",
        "tag",
        "note",
        "comment",
    ),
    gettext_lazy("Leads"): ("lead", "quote", "product-service"),
    gettext_lazy("Forms and bookings"): ("form", "meeting"),
    gettext_lazy("Messages"): ("mail", "conversation"),
    gettext_lazy("Outreach"): ("genie", "campaign"),
    gettext_lazy("Tasks and calls"): ("task", "follow-up", "calllog"),
    gettext_lazy("Billing"): ("invoice", "payment"),
    gettext_lazy("Your company"): (),
}
"""Words of a group -> the kinds or the resources in it; the last one has the rest."""

KEYWORDS = {
    "contact.created": gettext_lazy("new contact added person subscriber customer"),
    "contact.updated": gettext_lazy("contact updated edited field property"),
    "contact.unsubscribed": gettext_lazy("unsubscribe opt out stop"),
    "contact.resubscribed": gettext_lazy("resubscribe opt in"),
    "contact.merged": gettext_lazy("duplicate"),
    "organization.created": gettext_lazy("new company firm account added"),
    "organization.updated": gettext_lazy("company firm account edited owner"),
    "contact.erased": gettext_lazy("gdpr privacy forgotten"),
    "enrich.accepted": gettext_lazy("enrichment"),
    "enrich.rejected": gettext_lazy("enrichment"),
    "segment.entered": gettext_lazy("segment list joins added audience"),
    "segment.left": gettext_lazy("segment list removed audience"),
    "lead.created": gettext_lazy("new lead added deal opportunity"),
    "lead.updated": gettext_lazy("lead updated stage status deal opportunity won lost"),
    "form.submitted": gettext_lazy("signup sign up form submission new answer registration landing page"),
    "meeting.booked": gettext_lazy("booking appointment demo scheduled"),
    "meeting.rescheduled": gettext_lazy("booking appointment"),
    "meeting.cancelled": gettext_lazy("appointment canceled cancelled no show"),
    "mail.replied": gettext_lazy("reply answer response email received"),
    "mail.sent": gettext_lazy("email delivered outgoing"),
    "mail.opened": gettext_lazy("email open read"),
    "mail.clicked": gettext_lazy("click link visit"),
    "mail.bounced": gettext_lazy("bounce undeliverable"),
    "mail.complained": gettext_lazy("spam complaint abuse"),
    "conversation.created": gettext_lazy("new chat whatsapp message"),
    "conversation.received": gettext_lazy("chat message whatsapp incoming reply"),
    "follow-up.created": gettext_lazy("new task to-do reminder"),
    "follow-up.completed": gettext_lazy("task done to-do finished"),
    "task.created": gettext_lazy("new task to-do reminder"),
    "task.completed": gettext_lazy("task done to-do finished"),
    "quote.sent": gettext_lazy("offer proposal estimate"),
    "quote.accepted": gettext_lazy("offer proposal signed won deal"),
    "quote.declined": gettext_lazy("offer proposal rejected lost deal"),
    "comment.created": gettext_lazy("comment mention discussion note"),
    "calllog.created": gettext_lazy("phone call logged"),
    "campaign.completed": gettext_lazy("newsletter finished"),
    "campaign.started": gettext_lazy("newsletter begins"),
    "payment.paid": gettext_lazy("paid payment order purchase"),
    "payment.refunded": gettext_lazy("refund money back"),
    "payment.disputed": gettext_lazy("chargeback"),
    "member.invited": gettext_lazy("team user colleague"),
    "member.accepted": gettext_lazy("team user colleague joins"),
    "schedule": gettext_lazy("date timer daily weekly cron birthday recurring"),
    "webhook": gettext_lazy("api url http zapier incoming"),
    "manual": gettext_lazy("button myself enrol"),
}
"""Kind of trigger -> other names by which people look for it."""


class TriggerField(Field):
    """A select of triggers, with a search that shows those that match. Without script the list is whole."""

    def __init__(self, label: str, triggers: Mapping[str, str], chosen: str, **options: Any) -> None:
        kinds = with_chosen(trigger_options(triggers), [chosen])
        super().__init__("triggerEventType", label, "select", options=kinds, initial=chosen, **options)
        self.template_name = "web/workflows/trigger_field.html"


def trigger_options(triggers: Mapping[str, str]) -> list[Option]:
    """Return the options for a workflow's trigger, group by group."""
    other_triggers = dict(triggers)
    options = []
    for group, names in GROUPS.items():
        kinds = [kind for name in names for kind in other_triggers if name in (kind, kind.partition(".")[0])]
        kinds_in_order = kinds if names else list(other_triggers)
        if names is not COMMON_TRIGGERS:
            kinds_in_order = sorted(kinds_in_order, key=lambda kind: other_triggers[kind])
        options += [
            Option(kind, other_triggers.pop(kind), str(group), str(KEYWORDS.get(kind, ""))) for kind in kinds_in_order
        ]
    return options
