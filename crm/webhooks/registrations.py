"""The registrations of webhooks."""

from __future__ import annotations

from accounts.settings.notices import register_notice
from crm.segments.tracking import watched_segments
from crm.webhooks.collector import segments_of_webhooks
from crm.webhooks.notices import WEBHOOK_FAILING

register_notice(WEBHOOK_FAILING)
watched_segments.connect(segments_of_webhooks)
