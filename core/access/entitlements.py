"""Entitlements of companies. Billing provides them (`set_entitlements`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from core.access.actor import OWNERS_ONLY, Actor, permission_of
from core.errors import NamedError


@dataclass(frozen=True)
class Entitlement:
    """The modules (None: all) and limits (module -> number of records) of an active subscription.

    `own` names the limits that the subscription sets itself, in place of its plan's.
    """

    modules: frozenset[str] | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    own: frozenset[str] = frozenset()


def _no_source(company_id: str) -> Entitlement | None:
    raise RuntimeError("no app provides the entitlements of companies (core.access.set_entitlements)")


_source: Callable[[str], Entitlement | None] = _no_source


def set_entitlements(source: Callable[[str], Entitlement | None]) -> None:
    """Register the function that returns a company's entitlement, or None without an active subscription."""
    global _source
    _source = source


_kept: ContextVar[dict[str, Entitlement | None] | None] = ContextVar("leadwright_entitlements", default=None)


@contextmanager
def entitlements_kept() -> Iterator[None]:
    """Open a block that reads each company's entitlement once, for a page, which asks the API several times."""
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def entitlement(company: str) -> Entitlement:
    """Return the company's entitlement.

    Raises SubscriptionExpired_400 without an active subscription. Its message row has status 500, as the contract says.
    """
    kept = _kept.get()
    if kept is None:
        found = _source(company)
    else:
        if company not in kept:
            kept[company] = _source(company)
        found = kept[company]
    if found is None:
        raise NamedError(
            "SubscriptionExpired_400", "the company has no active subscription; subscribe or renew to go on"
        )
    return found


def check_session(actor: Actor, allowed: Entitlement, module: str, method: str) -> None:
    """Check the member's status, the role and the plan's modules. Keys have a check of their own (`check_key`).

    The plan's limits are checked where records are created (core.access.reserve_quota).
    """
    if not (actor.is_owner or actor.is_accepted):
        raise NamedError("UnauthorizedAction_403", "your membership is not accepted or is blocked")
    if not actor.may(module, method):
        raise NamedError("UnauthorizedAction_403", f"your role lacks the permission {module}.{permission_of(method)}")
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
