"""Addresses of a company's brand."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.site.white_label.views import WhiteLabelViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("white-label-options", WhiteLabelViewSet)
