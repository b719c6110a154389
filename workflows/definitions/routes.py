"""Addresses of workflows."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from workflows.definitions.views import WorkflowViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("workflow", WorkflowViewSet)
