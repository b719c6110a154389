"""Members' mails to one person: each stands in the conversation with the person once it has been sent."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Exists, OuterRef
from django.utils import timezone

from core.models import Event
from outreach.chat.conversations.answerers import assignee_of
from outreach.chat.conversations.incoming import enter, lock_or_create
from outreach.chat.conversations.mails import lead_of_contact
from outreach.chat.conversations.models import Conversation, ConversationMessage
from outreach.chat.conversations.states import HUMAN, QUEUED
from outreach.chat.conversations.targets import mark_answered, save_with_target
from outreach.messaging.delivery.models import SendJob

WHERE = "EXISTS (SELECT FROM outreach_personalmail m WHERE m.company_id = %(company)s AND m.send_job_id IS NOT NULL)"
"""Condition for companies whose messages are processed."""


def show(events: Sequence[Event]) -> None:
    """Show the mails that members have sent. One that is in a conversation already stays there."""
    shown = ConversationMessage.objects.filter(send_job=OuterRef("pk"))
    rows = SendJob.objects.filter(pk__in=[event.object_id for event in events], personal=True)
    for job in rows.exclude(Exists(shown)).select_related("contact").order_by("sent_at", "pk"):
        if job.contact.erased_at is None:
            _show(job)


def _show(job: SendJob) -> None:
    conversation = _conversation(job)
    sent_at = job.sent_at or timezone.now()
    ConversationMessage.objects.create(
        conversation=conversation,
        direction=ConversationMessage.Direction.OUT,
        author=ConversationMessage.Author.MEMBER,
        member_id=job.created_by_id,
        kind="mail",
        text=job.text,
        send_job=job,
        happened_at=sent_at,
    )
    conversation.smtp_id = job.smtp_id
    conversation.mail_app_id = job.mail_app_id
    if conversation.last_message_at is None or conversation.last_message_at <= sent_at:
        conversation.last_text = " ".join(job.text.split())[:200]
        conversation.last_message_at = sent_at
        conversation.subject = job.subject[:200]
    # What the person wrote before has been answered, from wherever the member wrote.
    if conversation.waiting_since is not None and conversation.waiting_since <= sent_at:
        _note_answer(conversation, job)
    save_with_target(conversation)


def _conversation(job: SendJob) -> Conversation:
    """Return the conversation with the person, locked until the transaction ends; a new one is closed."""
    place = {"channel": Conversation.Channel.MAIL, "chat_app": None, "address": job.recipient.lower()}
    lead = lead_of_contact(job.contact_id)
    values = {
        "contact": job.contact,
        "lead": lead,
        "team_id": lead.team_id if lead else None,
        "assignee_id": assignee_of(lead, Conversation.Channel.MAIL),
    }
    return lock_or_create(
        place, job.contact.name, lambda existing: existing.contact_id == job.contact_id, lambda: values
    )


def _note_answer(conversation: Conversation, job: SendJob) -> None:
    mark_answered(conversation)
    conversation.unread = 0
    if conversation.state in (QUEUED, HUMAN) and conversation.assignee_id is None:
        enter(conversation, "take")
        conversation.assignee_id = job.created_by_id
