"""Addresses of registration."""

from __future__ import annotations

from accounts.registration.views import NewCompanyViewSet, RegistrationViewSet
from core.api.routers import ResourceRouter


def register_private(router: ResourceRouter) -> None:
    router.register("company", NewCompanyViewSet)


def register_public(router: ResourceRouter) -> None:
    router.register("register", RegistrationViewSet)
