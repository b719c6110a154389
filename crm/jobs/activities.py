"""The work of activities and reminders."""

from __future__ import annotations

from core.events import EventConsumer
from core.jobs import QueueWork, register
from crm.services.activities import READERS, record
from crm.services.reminders import has_due_reminders, remind

register(EventConsumer("activities", record, kinds=READERS))
register(QueueWork("reminders", remind, has_due=has_due_reminders, queue="send"))
