"""Addresses of bulk jobs."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.bulk_jobs.views import BulkJobViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("bulk-job", BulkJobViewSet)
