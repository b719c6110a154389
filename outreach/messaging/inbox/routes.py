"""Addresses of the inbox."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.messaging.inbox.views import InboxViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("inbox", InboxViewSet)
