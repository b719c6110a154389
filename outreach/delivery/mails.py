"""Notices about senders."""

from __future__ import annotations

from accounts.settings.notices import Notice, register_notice

SENDER_FAILING = Notice("sender.failing", "A sender fails and rests", "notice_sender_failing")
register_notice(SENDER_FAILING)
