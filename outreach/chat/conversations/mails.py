"""Replies to mail: each is a message of its person's conversation, once. And notices about conversations."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet

from accounts.settings.notices import Notice
from core.models import Event
from core.text.translation import gettext_lazy
from crm.models import Lead
from outreach.chat.conversations.answerers import assignee_of
from outreach.chat.conversations.incoming import Inbound, create_message, emit_event, enter, lock_or_create
from outreach.chat.conversations.models import Conversation, ConversationMessage
from outreach.chat.conversations.states import CLOSED
from outreach.chat.conversations.targets import save_with_target
from outreach.messaging.inbox.models import InboundMessage

ASSIGNED = Notice(
    "conversation.assigned", gettext_lazy("Conversation assigned to you"), "notice_conversation_assigned", on=False
)
WOKEN = Notice(
    "conversation.woken", gettext_lazy("Snoozed conversation is back"), "notice_conversation_woken", on=False
)
OVERDUE = Notice("conversation.overdue", gettext_lazy("Reply overdue"), "notice_conversation_overdue")


@transaction.atomic
def store_reply(event: Event) -> None:
    """Add a reply to a mail to the conversation with its person. One that is there already stays."""
    rows = InboundMessage.objects.select_related("contact", "send_job")
    mail = rows.filter(pk=event.object_id, contact__isnull=False, contact__erased_at=None).first()
    if mail is None or mail.contact is None:
        return
    inbound = Inbound(
        external_id=f"mail:{mail.pk}",
        address=(mail.contact.email or mail.from_email).lower(),
        at=mail.received_at,
        name=mail.contact.name or mail.from_name,
        text=mail.text or mail.subject,
        kind="mail",
    )
    place = {"channel": Conversation.Channel.MAIL, "chat_app": None, "address": inbound.address}
    lead = lead_of_contact(mail.contact_id)
    values = {
        "contact": mail.contact,
        "lead": lead,
        "team_id": lead.team_id if lead else None,
        "assignee_id": assignee_of(lead, Conversation.Channel.MAIL),
    }
    conversation = lock_or_create(
        place, inbound.name, lambda existing: existing.contact_id == mail.contact_id, lambda: values
    )
    if ConversationMessage.objects.filter(external_id=inbound.external_id).exists():
        return
    message = create_message(conversation, inbound, inbound_id=mail.pk)
    job = mail.send_job
    conversation.smtp_id = mail.smtp_id or (job.smtp_id if job else None)
    conversation.mail_app_id = None if conversation.smtp_id or job is None else job.mail_app_id
    conversation.subject = mail.subject[:200]
    if conversation.state == CLOSED:
        enter(conversation, "queue")
    save_with_target(conversation)
    emit_event("conversation.received", conversation, message, text=inbound.text[:2000])


def lead_of_contact(contact_id: str | None) -> Lead | None:
    """Return the newest live lead of the contact."""
    rows: QuerySet[Lead] = Lead.objects.filter(contact_id=contact_id, is_deleted=False)
    return rows.order_by("-created_at", "-pk").first()
