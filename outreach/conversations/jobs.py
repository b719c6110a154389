"""The work of conversations."""

from __future__ import annotations

from core.events import EventConsumer, each
from core.jobs import QueueWork, register
from outreach.conversations.chores import has_due, look_at_time
from outreach.conversations.mails import take_in

register(QueueWork("conversations", look_at_time, has_due=has_due, queue="send"))
register(EventConsumer("mail-conversations", each(take_in), kinds=("mail.replied",)))
