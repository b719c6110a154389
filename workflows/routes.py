"""Addresses of workflows."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from workflows.approvals import routes as approvals
from workflows.definitions import routes as definitions
from workflows.runs import routes as runs
from workflows.secrets import routes as secrets
from workflows.triggers import routes as triggers


def register_protected(router: ResourceRouter) -> None:
    definitions.register_protected(router)
    runs.register_protected(router)
    approvals.register_protected(router)
    secrets.register_protected(router)


def register_public(router: ResourceRouter) -> None:
    triggers.register_public(router)
