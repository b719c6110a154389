"""Notices about senders."""

from __future__ import annotations

from accounts.settings.notices import Notice

SENDER_FAILING = Notice("sender.failing", "A sender fails and rests", "notice_sender_failing")
SENDER_STOPPED = Notice("sender.stopped", "A sender was stopped by its guardrail", "notice_sender_stopped")
