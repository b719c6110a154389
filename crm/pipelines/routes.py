"""Addresses of pipelines and of reasons for lost leads."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.pipelines.views import LostReasonViewSet, PipelineViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("lost-reason", LostReasonViewSet)
    router.register("pipeline", PipelineViewSet)
