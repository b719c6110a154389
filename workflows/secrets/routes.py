"""Addresses of secrets."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from workflows.secrets.views import WorkflowSecretViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("workflow/secrets", WorkflowSecretViewSet)
