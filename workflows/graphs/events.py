"""The kinds of events that start workflows, and the record that a run is about."""

from __future__ import annotations

from core.events.kinds import EVENTS
from core.ids import is_id
from core.text.translation import gettext_lazy
from core.types import Values

SCHEDULE = "schedule"
WEBHOOK = "webhook"
MANUAL = "manual"
OTHERS = {
    SCHEDULE: gettext_lazy("On a schedule"),
    WEBHOOK: gettext_lazy("A webhook is received"),
    MANUAL: gettext_lazy("Started by hand"),
}
"""Triggers of runs other than events."""
SILENT = ("workflow",)
"""Resources whose events start nothing: a workflow would follow itself."""
TRIGGER_EVENTS = {
    f"{resource}.{done}" for resource, words in EVENTS.items() if resource not in SILENT for done in words
}
"""The kinds of events that start runs."""


NOUNS = {
    "calllog": "call",
    "contact-category": "category",
    "follow-up": "task",
    "enrich": "suggestion for a contact",
    "genie": "outreach",
    "product-service": "product",
}
"""Resource -> the noun for one of its records, if it differs."""
VERBS = {"updated": "changed"}
"""Name of an event -> its word in the editor, if it differs."""
LABELS = {
    "apps.failed": "A connected app fails",
    "campaign.resumed": "A campaign is resumed",
    "campaign.failed": "A campaign fails",
    "contact.unsubscribed": "A contact unsubscribes",
    "contact.resubscribed": "A contact subscribes again",
    "contact.merged": "Contacts are merged",
    "contact.unmerged": "Merged contacts are unmerged",
    "conversation.created": "A conversation begins",
    "conversation.received": "Somebody writes in a conversation",
    "conversation.identified": "A website visitor becomes a contact",
    "conversation.queued": "A conversation waits for a member",
    "conversation.claimed": "A member takes a conversation over",
    "conversation.woken": "A snoozed conversation is back",
    "conversation.delayed": "A reply in a conversation is overdue",
    "follow-up.completed": "A task is completed",
    "form.submitted": "Somebody sends a form",
    "genie.recurred": "An outreach repeats",
    "lead.merged": "Leads are merged",
    "lead.unmerged": "Merged leads are unmerged",
    "mail.replied": "Somebody replies to an email",
    "mail.bounced": "An email bounces",
    "mail.complained": "Somebody reports an email as spam",
    "mail.clicked": "A link in an email is clicked",
    "meeting.booked": "A visitor books a meeting",
    "meeting.rescheduled": "A visitor moves a booking",
    "member.accepted": "A member accepts the invite",
    "payment.refunded": "A payment is refunded",
    "payment.disputed": "A customer disputes a payment",
    "payment.undisputed": "A payment dispute ends",
    "white-label-options.updated": "Branding was changed",
    "genie.created": "An outreach is started",
    "mail.sent": "An email is sent",
    "mail.opened": "An email is opened",
    "contact.erased": "A contact's data is erased",
    "payment.paid": "An invoice is paid",
    "payment.credited": "A payment is credited",
    "segment.entered": "A record enters a segment",
    "segment.left": "A record leaves a segment",
}
"""Kind of events -> its label in the editor, if resource and verb do not form a sentence."""


def label_of(kind: str) -> str:
    """Return the editor's label of a kind of events."""
    if kind in OTHERS:
        return OTHERS[kind]
    if kind in LABELS:
        return LABELS[kind]
    resource, _, done = kind.partition(".")
    noun = NOUNS.get(resource, resource.replace("-", " "))
    verb = VERBS.get(done, done)
    return f"{'An' if noun[0] in 'aeiou' else 'A'} {noun} is {verb}"


SEGMENT = ("segment.entered", "segment.left")
"""Kinds that are of one segment: config.segment."""


def is_change(kind: str) -> bool:
    """Return whether events of the kind list the changed fields."""
    return kind.endswith(".updated")


def subject_of(kind: str, object_id: str, payload: Values) -> tuple[str | None, str | None]:
    """Return the ids of the contact and the lead that an event is about, as far as it contains them."""
    resource = kind.partition(".")[0]
    if resource == "contact":
        return object_id, None
    if resource == "lead":
        return None, object_id
    contact, lead = payload.get("contact"), payload.get("lead")
    return contact if is_id(contact) else None, lead if is_id(lead) else None
