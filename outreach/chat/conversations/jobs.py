"""The work of conversations."""

from __future__ import annotations

from core.events import EventConsumer, each
from core.jobs import QueueWork, register
from outreach.chat.conversations import media, personal_mails
from outreach.chat.conversations.campaigns import WHERE, show
from outreach.chat.conversations.mails import store_reply
from outreach.chat.conversations.timeouts import due_conversations, process_due

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
register(EventConsumer("mail-conversations", each(store_reply), kinds=("mail.replied",)))
