"""The registrations of conversations."""

from __future__ import annotations

from accounts.settings.notices import register_notice
from core.api.routes import protected
from core.events import EventConsumer, one_by_one
from core.jobs import QueueWork, register
from outreach.chat.conversations import media, personal_mails
from outreach.chat.conversations.campaigns import WHERE, show
from outreach.chat.conversations.canned_answers.views import CannedAnswerViewSet
from outreach.chat.conversations.mails import ASSIGNED, OVERDUE, WOKEN, store_reply
from outreach.chat.conversations.privacy import register_tables
from outreach.chat.conversations.timeouts import due_conversations, process_due
from outreach.chat.conversations.views import AnswerTimeViewSet, ConversationViewSet

protected.register("conversation", ConversationViewSet)
protected.register("canned-answer", CannedAnswerViewSet)
protected.register("answer-time", AnswerTimeViewSet)
register(
    QueueWork(
        "conversations", process_due, due_rows=due_conversations, queue="send", task="outreach.check_conversations"
    )
)
register(
    QueueWork(
        "conversation-files",
        media.fetch_due,
        due_rows=media.due_messages,
        queue="bulk",
        task="outreach.fetch_chat_files",
    )
)
register(EventConsumer("chat-campaigns", show, kinds=("mail.sent",), where=WHERE))
register(EventConsumer("personal-mails", personal_mails.show, kinds=("mail.sent",), where=personal_mails.WHERE))
register(EventConsumer("mail-conversations", one_by_one(store_reply), kinds=("mail.replied",)))
for notice in (ASSIGNED, WOKEN, OVERDUE):
    register_notice(notice)
register_tables()
