"""Addresses of API keys."""

from __future__ import annotations

from accounts.api_keys.views import ApiKeyViewSet
from core.api.routers import ResourceRouter


def register_protected(router: ResourceRouter) -> None:
    router.register("api", ApiKeyViewSet)
