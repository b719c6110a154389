"""Notices about senders."""

from __future__ import annotations

from accounts.settings.notices import Notice, register_notice

SENDER_FAILING = Notice("sender.failing", "A sender fails and rests", "notice_sender_failing")
register_notice(SENDER_FAILING)
SENDER_STOPPED = Notice("sender.stopped", "A sender was stopped by its guardrail", "notice_sender_stopped")
register_notice(SENDER_STOPPED)
