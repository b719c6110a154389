"""Entitlements of companies. Billing provides them (`set_entitlements`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from core.access.actor import OWNERS_ONLY, Actor, AuthPath, permission_of
from core.errors import NamedError, PermissionLacking


@dataclass(frozen=True)
class Entitlement:
    """The modules (None: all) and limits (module -> number of records) of an active subscription.

    `own` names the limits that the subscription sets itself, in place of its plan's. `phase` names a restriction
    (check_phase); empty: none.
    """

    modules: frozenset[str] | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    own: frozenset[str] = frozenset()
    phase: str = ""


GRACE, PAUSED = "grace", "paused"
"""The phases: unpaid for long, and paused by the company."""
STARTING = frozenset({"genie", "campaign", "workflow", "member", "lead-gen-ai", "enrich"})
"""The modules whose POST starts new work, which an unpaid company may not: sends, runs, members."""


@dataclass(frozen=True)
class EntitlementSource:
    """Access to the entitlements of companies.

    `of` returns the active company's entitlement, or None without an active subscription. The others are for statements
    that read it together with other data.

    `select` returns the SELECT of the subscription of the company that an SQL expression gives. It has `width` columns,
    and no row if the subscription isn't active. `parameters` returns its current parameters; `read` the entitlement in
    such a row, or in one of nulls.
    """

    of: Callable[[str], Entitlement | None]
    select: Callable[[str], str]
    width: int
    parameters: Callable[[], Sequence[Any]]
    read: Callable[[Sequence[Any]], Entitlement | None]


_source: EntitlementSource | None = None


def set_entitlements(source: EntitlementSource) -> None:
    """Register where the entitlements of companies are."""
    global _source
    _source = source


def entitlement_source() -> EntitlementSource:
    """Return where the entitlements of companies are."""
    if _source is None:
        raise RuntimeError("no app provides the entitlements of companies (core.access.set_entitlements)")
    return _source


_kept: ContextVar[dict[str, Entitlement | None] | None] = ContextVar("leadwright_entitlements", default=None)


@contextmanager
def cache_entitlements() -> Iterator[None]:
    """Open a block that reads each company's entitlement once, for a page, which asks the API several times."""
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def granted_entitlement(company: str) -> Entitlement | None:
    """Return the active company's entitlement, or None without an active subscription."""
    cached = _kept.get()
    if cached is None:
        return entitlement_source().of(company)
    if company not in cached:
        cached[company] = entitlement_source().of(company)
    return cached[company]


def entitlement(company: str) -> Entitlement:
    """Return the active company's entitlement. Raises SubscriptionExpired_400 without an active subscription."""
    return require_entitlement(granted_entitlement(company))


def require_entitlement(granted: Entitlement | None) -> Entitlement:
    """Return the entitlement.

    Raises SubscriptionExpired_400 without one. Its message row has status 500, as in the contract.
    """
    if granted is None:
        raise NamedError(
            "SubscriptionExpired_400", "the company has no active subscription; subscribe or renew to go on"
        )
    return granted


def check_phase(allowed: Entitlement, module: str, method: str) -> None:
    """Refuse methods that a phase does not allow: all but reading for a paused subscription, new work for an unpaid
    one.

    Raises BadRequest_400 and not the contract's error for a company without a subscription, because there is one.
    """
    if allowed.phase == PAUSED and method != "GET":
        raise NamedError("BadRequest_400", "the subscription is paused: resume it to go on")
    if allowed.phase == GRACE and method == "POST" and module in STARTING:
        raise NamedError("BadRequest_400", "the subscription is not paid: pay it to begin anything new")


def automation_entitlement(company: str) -> Entitlement:
    """Return the active company's entitlement, for automatic work.

    Raises SubscriptionExpired_400 without an active subscription, and for one that is paused or unpaid for long.
    """
    granted = entitlement(company)
    if granted.phase:
        raise NamedError("SubscriptionExpired_400", "the subscription is paused or not paid; nothing is sent")
    return granted


def may_read(actor: Actor, module: str) -> bool:
    """Return whether the caller's role shows the module and, by session, the company's plan has it."""
    if actor.auth_path is AuthPath.SESSION and not actor.visiting:
        modules = entitlement(actor.company_id).modules
        if modules is not None and module not in modules:
            return False
    return actor.may(module, "GET")


def check_session(actor: Actor, allowed: Entitlement, module: str, method: str, *, any_member: bool = False) -> None:
    """Check the member's status, the role and the plan's modules. Keys have a check of their own (`check_key`).

    What is the member's `own` takes no permission of the role.

    The plan's limits are checked where records are created (core.access.reserve_quota).
    """
    if not (actor.is_owner or actor.is_accepted):
        raise NamedError("UnauthorizedAction_403", "your membership is not accepted or is blocked")
    if not (any_member or actor.may(module, method)):
        raise PermissionLacking(f"{module}.{permission_of(method)}")
    if allowed.modules is not None and module not in allowed.modules:
        raise NamedError("PlanDoesNotIncludeThisFeature_400", f"the feature {module} is not in your plan")


def check_key(actor: Actor, modules: Sequence[str], method: str) -> None:
    """Check that the maker of an API key may use the method on one of the modules.

    With settings.STRICT_KEYS off, it refuses only members, roles and keys, to keys whose maker is no owner.
    """
    if any(actor.may(module, method) for module in modules):
        return
    if modules[0] in OWNERS_ONLY:
        detail = "members, roles and API keys are closed to keys whose maker is no owner; use a session"
    else:
        detail = f"the role of the key's maker lacks the permission {modules[0]}.{permission_of(method)}"
    raise NamedError("UnauthorizedAction_403", detail)
