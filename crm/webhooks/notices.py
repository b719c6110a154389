"""The notice about webhooks."""

from __future__ import annotations

from accounts.settings.notices import Notice
from core.text.translation import gettext_lazy

WEBHOOK_FAILING = Notice("webhook.failing", gettext_lazy("Webhook failing"), "notice_webhook_failing")
