"""The work of the inbox."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, QueueWork, register
from outreach.messaging.inbox.models import ImapMailbox
from outreach.messaging.inbox.receiving.polling import drain, mailboxes_due
from outreach.messaging.inbox.retention import purge_inbox

register(
    QueueWork(
        "mailboxes", drain, has_due=mailboxes_due, queue="bulk", task="outreach.read_mailboxes", model=ImapMailbox
    )
)
register(PeriodicTask("inbox", purge_inbox, every=timedelta(hours=1)))
