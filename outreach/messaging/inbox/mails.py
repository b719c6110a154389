"""Notices about received mail."""

from __future__ import annotations

from accounts.settings.notices import Notice
from core.text.translation import gettext_lazy

REPLY_RECEIVED = Notice("reply.received", gettext_lazy("New reply"), "notice_reply_received", on=False)
MAILBOX_FAILING = Notice("mailbox.failing", gettext_lazy("Mailbox error"), "notice_mailbox_failing")
