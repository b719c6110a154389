"""Addresses of widgets."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.chat.widgets.public_views import WidgetViewSet
from outreach.chat.widgets.views import ChatWidgetViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("chat-widget", ChatWidgetViewSet)


def register_public(router: ResourceRouter) -> None:
    router.register("widget/<str:token>", WidgetViewSet)
