"""The work of chatbots that hand over by time."""

from __future__ import annotations

from core.jobs import QueueWork, register
from outreach.chat.chatbots.replies import answer, file_limit, has_due, process_due
from outreach.chat.conversations.bots import chatbot_reply
from outreach.chat.conversations.media import chatbot_file_limit

register(QueueWork("chatbots", process_due, has_due=has_due, queue="send", task="outreach.run_chatbots"))
chatbot_reply.connect(answer)
chatbot_file_limit.connect(file_limit)
