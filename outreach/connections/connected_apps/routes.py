"""Addresses of connected apps: /apps/<key> of each spec."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.connections.connected_apps.registry import CONNECTED_APPS
from outreach.connections.connected_apps.views import app_viewset


def register_protected(router: ResourceRouter) -> None:
    for app in CONNECTED_APPS.values():
        router.register(f"apps/{app.key}", app_viewset(app))
