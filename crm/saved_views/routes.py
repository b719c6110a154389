"""Addresses of saved views."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.saved_views.views import SavedViewViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("saved-view", SavedViewViewSet)
