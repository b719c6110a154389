"""Addresses of one's own profile."""

from __future__ import annotations

from accounts.profile.views import ProfileViewSet
from core.api.routers import ResourceRouter


def register_private(router: ResourceRouter) -> None:
    router.register("profile", ProfileViewSet)
