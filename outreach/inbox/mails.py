"""Notices about received mail."""

from __future__ import annotations

from accounts.settings.notices import Notice, register_notice

REPLY_RECEIVED = Notice("reply.received", "Somebody replies", "notice_reply_received", on=False)
register_notice(REPLY_RECEIVED)
