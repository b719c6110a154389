"""Addresses of approvals."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from workflows.approvals.views import WorkflowApprovalViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("workflow/approvals", WorkflowApprovalViewSet)
