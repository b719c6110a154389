"""Notices about senders."""

from __future__ import annotations

from accounts.settings.notices import Notice
from core.text.translation import gettext_lazy

SENDER_FAILING = Notice("sender.failing", gettext_lazy("Sender paused after errors"), "notice_sender_failing")
SENDER_STOPPED = Notice(
    "sender.stopped", gettext_lazy("Sender stopped after bounces or complaints"), "notice_sender_stopped"
)
