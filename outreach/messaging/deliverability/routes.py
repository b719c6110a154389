"""Addresses of deliverability, below those of SMTP senders."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.messaging.deliverability.views import DeliverabilityViewSet, DkimViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("apps/smtp/<str:id>/deliverability", DeliverabilityViewSet)
    router.register("apps/smtp/<str:id>/dkim", DkimViewSet)
