"""Addresses of exports: one below each list, and those of the export jobs."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.exports.sources import SOURCES
from crm.exports.views import ExportViewSet, list_export


def register_list_exports(router: ResourceRouter, app: str) -> None:
    """Register the exports of an app's lists."""
    for source in SOURCES.values():
        if source.app == app:
            router.register(f"{source.resource}/export", list_export(source))


def register_protected(router: ResourceRouter) -> None:
    register_list_exports(router, "crm")
    router.register("export", ExportViewSet)
