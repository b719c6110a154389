"""Addresses of exports: below each list, before the ids of its records, and those of the jobs."""

from __future__ import annotations

from core.api.router import Route
from crm.exports import views as export_views


def list_export_routes(app: str) -> list[Route]:
    """The exports of an app's lists."""
    return [Route(f"{resource}/export", view) for resource, view in export_views.export_views(app)]


EXPORT_ROUTES = [
    *list_export_routes("crm"),
    Route("export", export_views.Exports),
    Route("export/<str:id>", export_views.ExportDetail),
]
