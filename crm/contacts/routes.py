"""Addresses of contacts."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.contacts.views import ContactViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("contact", ContactViewSet)
