"""The notice about webhooks."""

from __future__ import annotations

from accounts.settings.notices import Notice

WEBHOOK_FAILING = Notice("webhook.failing", "A webhook does not take what it is sent", "notice_webhook_failing")
