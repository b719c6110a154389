"""Messages of campaigns and cadences by chat: each appears in its person's conversation once it has been sent."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Exists, OuterRef

from core.models import Event
from outreach.chat.conversations.automated import show_sent
from outreach.chat.conversations.models import ConversationMessage
from outreach.messaging.delivery.models import SendJob

WHERE = "EXISTS (SELECT FROM outreach_chatapp a WHERE a.company_id = %(company)s)"
"""Condition for companies whose messages are processed."""


def show(events: Sequence[Event]) -> None:
    """Show the messages of runs that have been sent by chat. One that is in a conversation already stays there."""
    shown = ConversationMessage.objects.filter(send_job=OuterRef("pk"))
    rows = SendJob.objects.filter(pk__in=[event.object_id for event in events], chat_app__isnull=False)
    jobs = list(rows.exclude(run=None).exclude(Exists(shown)).select_related("contact").order_by("sent_at", "pk"))
    if jobs:
        show_sent([job for job in jobs if job.contact.erased_at is None])
