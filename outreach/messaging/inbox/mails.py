"""Notices about received mail."""

from __future__ import annotations

from accounts.settings.notices import Notice

REPLY_RECEIVED = Notice("reply.received", "Somebody replies", "notice_reply_received", on=False)
MAILBOX_FAILING = Notice("mailbox.failing", "A mailbox cannot be read", "notice_mailbox_failing")
