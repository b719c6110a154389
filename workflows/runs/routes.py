"""Addresses of runs."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from workflows.runs.views import WorkflowRunViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("workflow/runs", WorkflowRunViewSet)
