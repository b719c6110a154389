"""The registrations of webhooks and the feed of events."""

from __future__ import annotations

from datetime import timedelta

from accounts.settings.notices import Notice, register_notice
from core.api.routes import protected
from core.events import EventConsumer
from core.events.kinds import EVENT_KINDS
from core.jobs import PeriodicTask, QueueWork, register
from core.jobs.flights import CALL_SECONDS
from core.text.translation import gettext_lazy
from crm.segments.tracking import watched_segments
from crm.webhooks.collector import WORK, collect, segments_of_webhooks
from crm.webhooks.feed_views import EventFeedViewSet
from crm.webhooks.models import WebhookDelivery
from crm.webhooks.sending import drain, due_webhooks
from crm.webhooks.services import forget_old
from crm.webhooks.views import WebhookDeliveryViewSet, WebhookViewSet

protected.register("events", EventFeedViewSet)
protected.register("webhook", WebhookViewSet)
protected.register("webhook/deliveries", WebhookDeliveryViewSet)
WANTED = (
    "EXISTS (SELECT FROM crm_webhook w WHERE w.company_id = %(company)s AND w.status <> 'disabled'"
    " AND w.kinds ?| ARRAY['*', split_part(%(kind)s, '.', 1) || '.*', %(kind)s])"
)
"""A company without webhooks for a kind pays nothing for it."""

register(EventConsumer(WORK, collect, kinds=EVENT_KINDS, where=WANTED))
register(
    QueueWork(
        WORK,
        drain,
        due_rows=due_webhooks,
        queue="ai",
        task="crm.send_webhooks",
        model=WebhookDelivery,
        seconds=CALL_SECONDS,
        frees_claims=True,
    )
)
register(PeriodicTask("webhook-deliveries", forget_old, every=timedelta(hours=1)))
register_notice(Notice("webhook.failing", gettext_lazy("Webhook failing"), "notice_webhook_failing"))
watched_segments.connect(segments_of_webhooks)
