"""The operations that members and API keys share."""

from __future__ import annotations

from accounts.routes import register_protected as register_accounts
from billing.routes import register_protected as register_billing
from core.api.routers import ResourceRouter
from core.global_search.routes import register_protected as register_search
from crm.routes import register_protected as register_crm
from outreach.routes import register_protected as register_outreach
from workflows.routes import register_protected as register_workflows


def register(router: ResourceRouter) -> None:
    """Register the protected operations of all apps."""
    apps = (register_accounts, register_billing, register_crm, register_outreach, register_workflows)
    for register_app in (register_search, *apps):
        register_app(router)
