"""Addresses of accounts, composed of each domain's own."""

from __future__ import annotations

from accounts.api_keys import routes as api_keys
from accounts.auth import routes as auth
from accounts.companies import routes as companies
from accounts.login_log import routes as login_log
from accounts.members import routes as members
from accounts.notifications import routes as notifications
from accounts.places import routes as places
from accounts.profile import routes as profile
from accounts.programs import routes as programs
from accounts.registration import routes as registration
from accounts.request_log import routes as request_log
from accounts.roles import routes as roles
from accounts.settings import routes as settings
from core.api.routers import ResourceRouter


def register_protected(router: ResourceRouter) -> None:
    api_keys.register_protected(router)
    companies.register_protected(router)
    login_log.register_protected(router)
    members.register_protected(router)
    request_log.register_protected(router)
    roles.register_protected(router)
    settings.register_protected(router)


def register_private(router: ResourceRouter) -> None:
    auth.register_private(router)
    members.register_private(router)
    notifications.register_private(router)
    places.register_private(router)
    profile.register_private(router)
    programs.register_private(router)
    registration.register_private(router)


def register_public(router: ResourceRouter) -> None:
    auth.register_public(router)
    members.register_public(router)
    registration.register_public(router)
