"""Addresses of reports and dashboards."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.insights.reports.views import DashboardViewSet, ReportViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("logs/report", ReportViewSet)
    router.register("dashboard", DashboardViewSet)
