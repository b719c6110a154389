"""The work of activities and reminders."""

from __future__ import annotations

from core.events import EventConsumer
from core.jobs import QueueWork, register
from crm.activities.reminders import due_reminders, remind
from crm.activities.services import READERS, record

register(EventConsumer("activities", record, kinds=READERS))
register(QueueWork("reminders", remind, due_rows=due_reminders, queue="send", task="crm.send_reminders"))
