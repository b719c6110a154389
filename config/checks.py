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
from core.access.quota import USAGE
from core.api.routers import Operation, ResourceRouter
from core.api.routes import protected
from core.tenancy import use_owner_role


@register(Tags.database)
def searches_can_use_indexes(databases: Any = None, **_: Any) -> list[CheckMessage]:
    """Check that search functions are LEAKPROOF. Otherwise searches of large companies are slow (docs/operations)."""
    messages: list[CheckMessage] = []
    for alias in databases or []:
        connection = connections[alias]
        try:
            with use_owner_role():
                connection.ensure_connection()
                leaky = not_leakproof(connection.connection)
        except DatabaseError as error:
            return [Warning(f"the database did not answer: {error}", id="config.W001")]
        if leaky:
            messages.append(
                Warning(
                    f"{len(leaky)} functions are not LEAKPROOF;"
                    " searches in companies of more than 100,000 contacts will take seconds",
                    hint="As a superuser: " + "; ".join(f"ALTER FUNCTION {signature} LEAKPROOF" for signature in leaky),
                    id="config.W002",
                )
            )
    return messages


@register
def vendors_share_no_key(**_: Any) -> list[CheckMessage]:
    """Check that no setting gives anymail a key, with which it would send for companies that have none."""
    shared = [*settings.ANYMAIL, *(name for name in dir(settings) if name.startswith("ANYMAIL_"))]
    if not shared:
        return []
    return [
        Error(
            f"ANYMAIL has {', '.join(sorted(shared))}: companies without a key of their own would send by it",
            hint="Leave ANYMAIL empty; each company connects its own account.",
            id="config.E011",
        )
    ]


@register(deploy=True)
def proxies_are_counted(**_: Any) -> list[CheckMessage]:
    """Check that a service with TLS knows its proxies, whose headers give the callers' addresses and scheme."""
    if settings.BASE_URL.startswith("https://") and not settings.TRUSTED_PROXIES:
        return [
            Warning(
                "BASE_URL is https and TRUSTED_PROXIES is 0: X-Forwarded-For and X-Forwarded-Proto are ignored, so"
                " that all callers have the proxy's address",
                hint="Set TRUSTED_PROXIES to the number of your proxies; they must write these headers themselves.",
                id="config.W005",
            )
        ]
    return []


@register(deploy=True)
def static_files_are_collected(**_: Any) -> list[CheckMessage]:
    """Check that static files go out compressed, under names that browsers keep."""
    if settings.STATIC_ROOT or settings.DEMO or settings.DEBUG:
        return []
    hint = "Run manage.py collectstatic --noinput once per deployment."
    return [Warning("static files go out uncompressed, and browsers ask for them again", hint=hint, id="config.W010")]


@register("mail", deploy=True)
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
    """Check that roles can grant the permission of each operation, and that the plan counts its quota."""
    router = ResourceRouter("api/protected", None, protected)
    return [message for operation in router.operations() for message in _unknown_modules(operation)]


def _unknown_modules(operation: Operation) -> list[CheckMessage]:
    messages: list[CheckMessage] = []
    for module in operation.modules:
        if module not in MODULES:
            hint = "accounts/roles/permissions.py lists the modules."
            messages.append(Error(f"{operation}: no role can grant {module!r}", hint=hint, id="config.E001"))
    quota_module = operation.endpoint.quota_module
    if quota_module and quota_module not in USAGE:
        hint = "Register its records with count_usage in the app's ready()."
        messages.append(Error(f"{operation}: nothing counts {quota_module!r}", hint=hint, id="config.E002"))
    return messages


@register(deploy=True)
def a_proxy_buffers(**_: Any) -> list[CheckMessage]:
    """Check that a proxy is configured that buffers requests and responses, since slow callers occupy threads
    otherwise."""
    if settings.BUFFERING_PROXY:
        return []
    return [
        Warning(
            "no proxy that buffers requests and answers: slow callers of a few addresses can hold every web thread",
            hint="Put nginx in front with docs/nginx.conf, and set BUFFERING_PROXY=1 and TRUSTED_PROXIES.",
            id="config.W006",
        )
    ]
