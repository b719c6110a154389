"""The registrations of the chat vendor's events."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, QueueWork, register
from outreach.chat.chat_events.privacy import register_tables
from outreach.chat.chat_events.services import apply_waiting, forget_old, waiting_events

register(
    QueueWork("chat-events", apply_waiting, due_rows=waiting_events, queue="send", task="outreach.apply_chat_events")
)
register(PeriodicTask("outreach.old_chat_events", forget_old, every=timedelta(hours=1)))
register_tables()
