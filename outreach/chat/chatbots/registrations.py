"""The registrations of chatbots."""

from __future__ import annotations

from core.access import count_usage
from outreach.chat.chatbots.models import ManualChatbot
from outreach.chat.chatbots.replies import answer, file_limit
from outreach.chat.conversations.bots import chatbot_reply
from outreach.chat.conversations.media import chatbot_file_limit

count_usage("manual-chatbot", ManualChatbot.objects.all)
chatbot_reply.connect(answer)
chatbot_file_limit.connect(file_limit)
