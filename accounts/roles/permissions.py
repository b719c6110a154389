"""The permissions of roles: 38 modules with four methods each (contract section 2, Role), and the default roles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.access import Actor
from core.errors import InvalidFormat, ValidationFailed, shorten

Permission = Mapping[str, Mapping[str, bool]]
"""Module -> method -> allowed. Missing entries are not allowed."""

METHODS = ("GET", "POST", "PUT", "DELETE")
MODULES = (
    "custom-field",
    "custom-section",
    "apps",
    "contact",
    "contact-category",
    "lead",
    "lead-activity",
    "template",
    "campaign",
    "chatapp",
    "report",
    "company",
    "member",
    "role",
    "segment",
    "file",
    "plan",
    "settings",
    "product-service",
    "tag",
    "logs",
    "team",
    "api",
    "meeting",
    "videocall",
    "my-videocall",
    "calendar",
    "my-calendar",
    "offline-meeting",
    "genie",
    "enrich",
    "lead-gen-ai",
    "domain-tracking",
    "white-label-options",
    "chat-widget",
    "manual-chatbot",
    "workflow",
    "ai-crm-chat",
)


SCOPED_MODULES = ("contact", "lead")
"""Modules whose records a role can limit to own ones. Organizations and their rows follow contact."""
ALL = "all"
OWN = "own"
SCOPES = (ALL, OWN)


def complete(permission: Permission) -> dict[str, dict[str, bool]]:
    """Return the permission with a flag for every module and method."""
    return {module: {method: bool(permission.get(module, {}).get(method)) for method in METHODS} for module in MODULES}


def parse_permission(value: Any) -> dict[str, dict[str, bool]]:
    """Validate and return the given flags. Unknown modules or methods and non-boolean flags are 400s that name them."""
    if not isinstance(value, dict):
        raise InvalidFormat(
            "permission", value, 'write it as {"contact": {"GET": true, "POST": false}}', field="permission"
        )
    for module, methods in value.items():
        where = f"permission.{shorten(module)}"
        if module not in MODULES:
            raise ValidationFailed(f"there is no such module; the modules are {', '.join(MODULES)}", field=where)
        if not isinstance(methods, dict):
            raise InvalidFormat(where, methods, f"must be an object of {', '.join(METHODS)}", field=where)
        for method, flag in methods.items():
            if method not in METHODS:
                raise ValidationFailed(
                    f"there is no such method; the methods are {', '.join(METHODS)}", field=f"{where}.{shorten(method)}"
                )
            if not isinstance(flag, bool):
                raise InvalidFormat(f"{where}.{method}", flag, "must be true or false", field=f"{where}.{method}")
    return value


def parse_scope(value: Any) -> dict[str, str]:
    """Validate and return the given record scopes: module -> all or own. Others are 400s that name them."""
    if not isinstance(value, dict):
        example = 'write it as {"contact": "own", "lead": "all"}'
        raise InvalidFormat("recordScope", value, example, field="recordScope")
    for module, scope in value.items():
        where = f"recordScope.{shorten(module)}"
        if module not in SCOPED_MODULES:
            modules = " and ".join(SCOPED_MODULES)
            raise ValidationFailed(f"there is no such module; the modules are {modules}", field=where)
        if scope not in SCOPES:
            raise InvalidFormat(where, scope, f"must be {' or '.join(SCOPES)}", field=where)
    return value


def complete_scope(record_scope: Mapping[str, str]) -> dict[str, str]:
    """Return the scope of every module. An unknown value limits, as own does."""
    return {module: ALL if record_scope.get(module, ALL) == ALL else OWN for module in SCOPED_MODULES}


def compact_permission(permission: Permission) -> dict[str, dict[str, bool]]:
    """Return the permission in its stored form, which lists allowed methods only."""
    allowed = {
        module: {method: True for method in METHODS if permission.get(module, {}).get(method)} for module in MODULES
    }
    return {module: flags for module, flags in allowed.items() if flags}


def missing_flags(actor: Actor, permission: Permission) -> list[str]:
    """Return the permission's flags that the actor lacks, each as module.METHOD."""
    if actor.is_owner:
        return []
    required = complete(permission)
    return [
        f"{module}.{method}"
        for module in MODULES
        for method in METHODS
        if required[module][method] and not actor.may(module, method)
    ]


def allow(modules: Iterable[str], *methods: str) -> dict[str, dict[str, bool]]:
    """Return a permission for the methods on each of the modules."""
    return {module: dict.fromkeys(methods, True) for module in modules}


@dataclass(frozen=True)
class DefaultRole:
    """A role of every new company."""

    name: str
    description: str
    permission: Permission
    is_default: bool = False


ADMINISTRATION = (
    "company",
    "member",
    "role",
    "settings",
    "plan",
    "logs",
    "api",
    "white-label-options",
    "custom-field",
    "custom-section",
)
"""Modules of the company itself, including custom fields and sections, which shape everybody's records."""
DAILY = (
    "contact",
    "lead",
    "lead-activity",
    "meeting",
    "videocall",
    "my-videocall",
    "calendar",
    "my-calendar",
    "offline-meeting",
    "genie",
    "enrich",
    "lead-gen-ai",
    "ai-crm-chat",
    "file",
    "tag",
    "template",
)
"""Modules of a salesperson's daily work."""
ADMIN = "Admin"
WORK = tuple(module for module in MODULES if module not in ADMINISTRATION)

DEFAULT_ROLES = (
    DefaultRole(ADMIN, "Can do everything except what only owners can do.", allow(MODULES, *METHODS)),
    DefaultRole(
        "Manager",
        "Works with contacts, leads and outreach. Can view settings and members.",
        {
            **allow(WORK, *METHODS),
            **allow(("custom-field", "custom-section"), *METHODS),
            **allow(("company", "member", "role", "settings", "plan", "logs"), "GET"),
        },
    ),
    DefaultRole(
        "Member",
        "Works with contacts, leads and messages, but can't delete.",
        {
            **allow(
                ("contact-category", "campaign", "chatapp", "segment", "product-service", "team", "workflow"), "GET"
            ),
            **allow(
                (
                    "custom-field",
                    "custom-section",
                    "company",
                    "settings",
                    "report",
                    "apps",
                    "manual-chatbot",
                    "chat-widget",
                    "domain-tracking",
                ),
                "GET",
            ),
            **allow(DAILY, "GET", "POST", "PUT"),
        },
        is_default=True,
    ),
    DefaultRole(
        "Viewer",
        "Sees records without changing them; no access to API keys, roles, members and logs.",
        allow(
            (module for module in MODULES if module not in ("api", "role", "member", "logs", "white-label-options")),
            "GET",
        ),
    ),
)
"""Exactly one is the default."""
