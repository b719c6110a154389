"""System checks of a deployment."""

from __future__ import annotations

from email.utils import parseaddr
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connections
from django.db.utils import Error as DatabaseError

from accounts.roles.permissions import MODULES
from config.leakproof import not_leakproof
from config.urls import protected
from core.access.quota import USAGE
from core.api.routers import Operation, ResourceRouter
from core.tenancy import as_owner


@register(Tags.database)
def searches_can_use_indexes(databases: Any = None, **_: Any) -> list[CheckMessage]:
    """Check that search functions are LEAKPROOF. Otherwise searches of large companies are slow (docs/operations)."""
    found: list[CheckMessage] = []
    for alias in databases or []:
        connection = connections[alias]
        try:
            with as_owner():
                connection.ensure_connection()
                leaky = not_leakproof(connection.connection)
        except DatabaseError as error:
            return [Warning(f"the database did not answer: {error}", id="config.W001")]
        if leaky:
            found.append(
                Warning(
                    f"{len(leaky)} functions are not LEAKPROOF;"
                    " searches in companies of more than 100,000 contacts will take seconds",
                    hint="As a superuser: " + "; ".join(f"ALTER FUNCTION {signature} LEAKPROOF" for signature in leaky),
                    id="config.W002",
                )
            )
    return found


@register(deploy=True)
def mails_have_a_server(**_: Any) -> list[CheckMessage]:
    """Check that the service's own mails (verification and password links, invites, notices) have a server."""
    if not settings.SENDS_MAIL:
        return [
            Warning(
                "no mail server is set: the service's own mails wait in the queue, and nobody can verify an address",
                hint="Set EMAIL_URL, such as smtp+tls://user:password@mail.example.com:587, and DEFAULT_FROM_EMAIL.",
                id="config.W003",
            )
        ]
    if not settings.DEMO and parseaddr(settings.DEFAULT_FROM_EMAIL)[1].endswith("@localhost"):
        return [Warning("the service's own mails come from nobody", hint="Set DEFAULT_FROM_EMAIL.", id="config.W004")]
    return []


@register(Tags.urls)
def operations_name_known_modules(**_: Any) -> list[CheckMessage]:
    """Check that roles can grant what each operation needs, and that the quota it takes from is counted."""
    router = ResourceRouter("api/protected", authentication=None)
    protected.register(router)
    return [message for operation in router.operations() for message in _unknown_modules(operation)]


def _unknown_modules(operation: Operation) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    for module in operation.modules:
        if module not in MODULES:
            hint = "accounts/roles/permissions.py lists the modules."
            found.append(Error(f"{operation}: no role can grant {module!r}", hint=hint, id="config.E001"))
    taken = operation.endpoint.takes
    if taken and taken not in USAGE:
        hint = "Register its records with count_usage in the app's ready()."
        found.append(Error(f"{operation}: nothing counts {taken!r}", hint=hint, id="config.E002"))
    return found
