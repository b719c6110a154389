"""The registrations of mail vendors' events."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, QueueWork, register
from outreach.messaging.mail_events.privacy import register_tables
from outreach.messaging.mail_events.services import apply_waiting, forget_old, waiting_events

register(
    QueueWork("mail-events", apply_waiting, due_rows=waiting_events, queue="send", task="outreach.apply_mail_events")
)
register(PeriodicTask("outreach.old_mail_events", forget_old, every=timedelta(hours=1)))
register_tables()
