"""Addresses of the feed of events and of webhooks."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.webhooks.feed_views import EventFeedViewSet
from crm.webhooks.views import WebhookDeliveryViewSet, WebhookViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("events", EventFeedViewSet)
    router.register("webhook", WebhookViewSet)
    router.register("webhook/deliveries", WebhookDeliveryViewSet)
