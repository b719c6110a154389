"""The work of chatbots that hand over by time."""

from __future__ import annotations

from core.jobs import QueueWork, register
from outreach.chat.chatbots.replies import has_due, process_due

register(QueueWork("chatbots", process_due, has_due=has_due, queue="send", task="outreach.run_chatbots"))
