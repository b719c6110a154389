"""Addresses of outreach."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.exports.routes import register_list_exports
from outreach.connected_apps import routes as connected_apps
from outreach.delivery import routes as delivery
from outreach.genie import routes as genie
from outreach.lead_generation import routes as lead_generation
from outreach.suppression import routes as suppression


def register_protected(router: ResourceRouter) -> None:
    for domain in (connected_apps, suppression, delivery, genie, lead_generation):
        domain.register_protected(router)
    register_list_exports(router, "outreach")


def register_public(router: ResourceRouter) -> None:
    delivery.register_public(router)
