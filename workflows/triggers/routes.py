"""Addresses of webhooks that start workflows."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from workflows.triggers.views import HookViewSet


def register_public(router: ResourceRouter) -> None:
    router.register("workflow-hooks/<str:token>", HookViewSet)
