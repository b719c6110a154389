"""Who acts, by which door, and what their company's subscription allows (contract section 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from core.errors import Named


class Door(StrEnum):
    """The access path of a request."""

    KEY = "key"
    SESSION = "session"
    PRIVATE = "private"
    PUBLIC = "public"


@dataclass(frozen=True)
class Actor:
    """A member of a company (or, at the private door, a user alone) on whose behalf a request runs."""

    door: Door
    user_id: str
    company_id: str = ""
    member_id: str = ""
    is_owner: bool = False
    is_accepted: bool = False
    permissions: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)

    def may(self, module: str, method: str) -> bool:
        """Whether the role permits the method on the module; PATCH counts as PUT."""
        flag = {"PATCH": "PUT", "HEAD": "GET"}.get(method, method)
        return self.is_owner or bool(self.permissions.get(module, {}).get(flag))


@dataclass(frozen=True)
class Entitlement:
    """What an active subscription allows: modules (None: all) and limits (module -> number of records)."""

    modules: frozenset[str] | None = None
    limits: Mapping[str, int] = field(default_factory=dict)


def _no_billing(company_id: str) -> Entitlement | None:
    raise RuntimeError("no app has said what companies are entitled to (core.access.set_entitlements)")


_entitlements: Callable[[str], Entitlement | None] = _no_billing
_usage: dict[str, Callable[[], int]] = {}


def set_entitlements(source: Callable[[str], Entitlement | None]) -> None:
    """Billing says here how a company's active subscription is found; None is no active one."""
    global _entitlements
    _entitlements = source


def count_usage(module: str, counter: Callable[[], int]) -> None:
    """An app says here how many records of a module the active company has, for the plan's limits."""
    _usage[module] = counter


def entitlement(company_id: str) -> Entitlement:
    """The company's entitlement; SubscriptionExpired_400 (seeded with status 500, the contract's quirk) without an active subscription."""
    found = _entitlements(company_id)
    if found is None:
        raise Named("SubscriptionExpired_400", "the company has no active subscription; subscribe or renew to go on")
    return found


def check_session(actor: Actor, allowed: Entitlement, module: str, method: str, body: Any) -> None:
    """The checks that the session path makes and the key path does not: member status, role, plan features, plan limits."""
    if not (actor.is_owner or actor.is_accepted):
        raise Named("UnauthorizedAction_403", "your membership is not accepted or is blocked")
    if not actor.may(module, method):
        raise Named("UnauthorizedAction_403", f"your role lacks the permission {module}.{method}")
    if allowed.modules is not None and module not in allowed.modules:
        raise Named("PlanDoesNotIncludeThisFeature_400", f"the feature {module} is not in your plan")
    limit = allowed.limits.get(module)
    if method == "POST" and limit is not None and module in _usage:
        rows = body.get("formData") if isinstance(body, dict) else None
        wanted = len(rows) if isinstance(rows, list) else 1
        if _usage[module]() + wanted > limit:
            raise Named("PlanLimitExceeded_403", f"your plan allows {limit} records of {module}")
