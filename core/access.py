"""Who acts, by which door, and what their company's subscription allows (contract section 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum

from django.db import connection, transaction

from core.errors import Named
from core.tenancy import company_id


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

    @property
    def is_unbounded(self) -> bool:
        """Whether no role binds the actor: an owner, or an API key (contract section 5)."""
        return self.is_owner or self.door is Door.KEY

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
_full: dict[str, str] = {}
_limits: ContextVar[Mapping[str, int] | None] = ContextVar("leadwright_limits", default=None)


def set_entitlements(source: Callable[[str], Entitlement | None]) -> None:
    """Billing says here how a company's active subscription is found; None is no active one."""
    global _entitlements
    _entitlements = source


def count_usage(module: str, counter: Callable[[], int], *, error: str = "PlanLimitExceeded_403") -> None:
    """An app says here how many records of a module the active company has, for the plan's limits, and which error tells of a full one."""
    _usage[module] = counter
    _full[module] = error


def entitlement(company: str) -> Entitlement:
    """The company's entitlement; SubscriptionExpired_400 (seeded with status 500, the contract's quirk) without an active subscription."""
    found = _entitlements(company)
    if found is None:
        raise Named("SubscriptionExpired_400", "the company has no active subscription; subscribe or renew to go on")
    return found


def check_session(actor: Actor, allowed: Entitlement, module: str, method: str) -> None:
    """The checks that the session path makes and the key path does not: member status, role, plan features
    (and plan limits, where records are made: `take`)."""
    if not (actor.is_owner or actor.is_accepted):
        raise Named("UnauthorizedAction_403", "your membership is not accepted or is blocked")
    if not actor.may(module, method):
        raise Named("UnauthorizedAction_403", f"your role lacks the permission {module}.{method}")
    if allowed.modules is not None and module not in allowed.modules:
        raise Named("PlanDoesNotIncludeThisFeature_400", f"the feature {module} is not in your plan")


@contextmanager
def limited(allowed: Entitlement) -> Iterator[None]:
    """Inside the block new records count against the plan's limits (`take`); the key path makes none of these checks."""
    token = _limits.set(allowed.limits)
    try:
        yield
    finally:
        _limits.reset(token)


def take(module: str, wanted: int = 1) -> None:
    """Make sure that the plan has room for `wanted` more records of a module; raises PlanLimitExceeded_403, or the module's own error.

    Called in the transaction that makes them: a lock until its end keeps others from taking the same room. Outside of `limited` there
    is always room.
    """
    left = room(module)
    if left is not None and left < wanted:
        raise full(module, left)


def room(module: str) -> int | None:
    """How many more records of a module fit into the plan, held until the transaction ends; None: no limit."""
    limit = (_limits.get() or {}).get(module)
    if limit is None or module not in _usage:
        return None
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("room is taken in the transaction that makes the records")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"leadwright.usage:{company_id()}:{module}"])
    return limit - _usage[module]()


def full(module: str, left: int = 0) -> Named:
    """The error that tells that a module's limit is reached."""
    limit = (_limits.get() or {}).get(module)
    return Named(_full[module], f"your plan allows {limit} records of {module}, and there is room for {max(0, left)} more")
