"""The registrations of chatbots."""

from __future__ import annotations

from core.access import count_usage
from core.api.routes import protected
from core.jobs import QueueWork, register
from outreach.chat.chatbots.models import ManualChatbot
from outreach.chat.chatbots.replies import answer, due_conversations, file_limit, process_due
from outreach.chat.chatbots.views import ManualChatbotViewSet
from outreach.chat.conversations.bots import chatbot_reply
from outreach.chat.conversations.media import chatbot_file_limit

protected.register("manual-chatbot", ManualChatbotViewSet)
register(QueueWork("chatbots", process_due, due_rows=due_conversations, queue="send", task="outreach.run_chatbots"))
count_usage("manual-chatbot", ManualChatbot.objects.all)
chatbot_reply.connect(answer)
chatbot_file_limit.connect(file_limit)
