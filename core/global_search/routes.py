"""The address of the global search."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from core.global_search.views import SearchViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("search", SearchViewSet)
