"""The work of chatbots that hand over by time."""

from __future__ import annotations

from core.jobs import QueueWork, register
from outreach.chat.chatbots.replies import due_conversations, process_due

register(QueueWork("chatbots", process_due, due_rows=due_conversations, queue="send", task="outreach.run_chatbots"))
