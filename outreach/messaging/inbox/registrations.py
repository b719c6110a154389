"""The registrations of the inbox."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from accounts.companies.overview import Measure, register_measure
from accounts.settings.notices import register_notice
from core.api.routes import protected
from core.global_search import Kind, register_kind
from core.jobs import PeriodicTask, QueueWork, register
from crm.timeline.selectors import mail_texts
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.senders.selectors import failing_senders
from outreach.messaging.inbox.filters import MAILBOX_FIELDS
from outreach.messaging.inbox.mails import MAILBOX_FAILING, REPLY_RECEIVED
from outreach.messaging.inbox.models import ImapMailbox
from outreach.messaging.inbox.privacy import register_tables
from outreach.messaging.inbox.receiving.polling import drain, due_mailboxes
from outreach.messaging.inbox.retention import purge_inbox
from outreach.messaging.inbox.selectors import failing_mailboxes, unread_replies, words_of
from outreach.messaging.inbox.views import InboxViewSet

protected.register("inbox", InboxViewSet)
register(
    QueueWork(
        "mailboxes", drain, due_rows=due_mailboxes, queue="bulk", task="outreach.read_mailboxes", model=ImapMailbox
    )
)
register(PeriodicTask("inbox", purge_inbox, every=timedelta(hours=1)))
register_notice(REPLY_RECEIVED)
register_notice(MAILBOX_FAILING)
register_measure(Measure("unreadReplies", "genie", unread_replies, place=70))
further = (partial(failing_senders, MailApp), failing_mailboxes)
register_measure(Measure("failingSenders", "apps", failing_senders, beside=further, place=80))
mail_texts.connect(words_of)
register_kind(
    Kind(
        "imap",
        "apps",
        lambda actor: ImapMailbox.objects.all(),
        MAILBOX_FIELDS.pick("username", "host"),
        "username",
        "host",
        82,
    )
)
register_tables()
