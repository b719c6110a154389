"""Addresses of widgets."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.widgets.public_views import WidgetViewSet
from outreach.widgets.views import ChatWidgetViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("chat-widget", ChatWidgetViewSet)


def register_public(router: ResourceRouter) -> None:
    router.register("widget/<str:token>", WidgetViewSet)
