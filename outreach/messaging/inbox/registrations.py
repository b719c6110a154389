"""The registrations of the inbox."""

from __future__ import annotations

from functools import partial

from accounts.companies.overview import Measure, register_measure
from accounts.settings.notices import register_notice
from crm.timeline.selectors import mail_texts
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.senders.selectors import failing_senders
from outreach.messaging.inbox.mails import MAILBOX_FAILING, REPLY_RECEIVED
from outreach.messaging.inbox.selectors import failing_mailboxes, unread_replies, words_of

register_notice(REPLY_RECEIVED)
register_notice(MAILBOX_FAILING)
register_measure(Measure("unreadReplies", "genie", unread_replies, place=70))
further = (partial(failing_senders, MailApp), failing_mailboxes)
register_measure(Measure("failingSenders", "apps", failing_senders, beside=further, place=80))
mail_texts.connect(words_of)
