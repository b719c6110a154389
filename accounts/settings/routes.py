"""Addresses of company settings."""

from __future__ import annotations

from accounts.settings.views import SettingsViewSet
from core.api.routers import ResourceRouter


def register_protected(router: ResourceRouter) -> None:
    router.register("settings", SettingsViewSet)
