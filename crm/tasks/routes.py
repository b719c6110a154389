"""Addresses of tasks."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.tasks.views import TaskViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("task", TaskViewSet)
