"""Addresses of segments."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.segments.views import SegmentViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("segment", SegmentViewSet)
