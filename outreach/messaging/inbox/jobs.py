"""The work of the inbox."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, QueueWork, register
from outreach.messaging.inbox.models import ImapMailbox
from outreach.messaging.inbox.receiving.polling import drain, due_mailboxes
from outreach.messaging.inbox.retention import purge_inbox

register(
    QueueWork(
        "mailboxes", drain, due_rows=due_mailboxes, queue="bulk", task="outreach.read_mailboxes", model=ImapMailbox
    )
)
register(PeriodicTask("inbox", purge_inbox, every=timedelta(hours=1)))
