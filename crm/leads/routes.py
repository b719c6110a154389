"""Addresses of leads."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.leads.views import LeadViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("lead", LeadViewSet)
