"""Who acts, by which authentication path, and what their company's subscription allows (contract section 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet

from core.errors import NamedError
from core.tenancy import company_id

PLAN_LIMIT = "PlanLimitExceeded_403"
OWN_LIMIT = "PlanSubscriptionLimitExceeded_403"


class AuthPath(StrEnum):
    """The authentication path by which a request came in."""

    KEY = "key"
    SESSION = "session"
    PRIVATE = "private"
    PUBLIC = "public"


def permission_of(method: str) -> str:
    """The permission that a method needs: roles know four."""
    return {"PATCH": "PUT", "HEAD": "GET"}.get(method, method)


@dataclass(frozen=True)
class Actor:
    """A member of a company (or, on the private path, a user alone) on whose behalf a request runs."""

    auth_path: AuthPath
    user_id: str
    company_id: str = ""
    member_id: str = ""
    is_owner: bool = False
    is_accepted: bool = False
    visiting: bool = False
    """One of the service's staff, who looks at the company and changes nothing."""
    permissions: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    key_id: str = ""
    """The API key that stands in for the member, on the key path."""

    @property
    def is_unbounded(self) -> bool:
        """Whether no role binds the actor: an owner, or an API key (contract section 5)."""
        return self.is_owner or self.auth_path is AuthPath.KEY

    def may(self, module: str, method: str) -> bool:
        """Whether the role permits the method on the module; PATCH counts as PUT."""
        flag = permission_of(method)
        if self.visiting:
            return flag == "GET"
        return self.is_owner or bool(self.permissions.get(module, {}).get(flag))


@dataclass(frozen=True)
class Entitlement:
    """What an active subscription allows: modules (None: all) and limits (module -> number of records).

    `own` names the limits that are not the plan's but the subscription's own.
    """

    modules: frozenset[str] | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    own: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Usage:
    """How a module's records are counted: `records` gives those that count of the active company, `error` tells of an exceeded quota."""

    records: Callable[[], QuerySet[Any]]
    error: str


def _no_billing(company_id: str) -> Entitlement | None:
    raise RuntimeError("no app has said what companies are entitled to (core.access.set_entitlements)")


_entitlements: Callable[[str], Entitlement | None] = _no_billing
USAGE: dict[str, Usage] = {}
"""Module -> what a plan's limit of it counts."""
_allowed: ContextVar[Entitlement | None] = ContextVar("leadwright_limits", default=None)


def set_entitlements(source: Callable[[str], Entitlement | None]) -> None:
    """Billing says here how a company's active subscription is found; None is no active one."""
    global _entitlements
    _entitlements = source


def count_usage(module: str, records: Callable[[], QuerySet[Any]], *, error: str = PLAN_LIMIT) -> None:
    """An app says here which records of the active company count against a plan's limit of the module, and which error tells of an
    exceeded one. Counting them should read one index: it goes no further than the limit, and happens whenever a session makes a record."""
    USAGE[module] = Usage(records, error)


def entitlement(company: str) -> Entitlement:
    """The company's entitlement; SubscriptionExpired_400 (seeded with status 500, the contract's quirk) without an active subscription."""
    found = _entitlements(company)
    if found is None:
        raise NamedError(
            "SubscriptionExpired_400", "the company has no active subscription; subscribe or renew to go on"
        )
    return found


def check_session(actor: Actor, allowed: Entitlement, module: str, method: str) -> None:
    """The checks that the session path makes and the key path does not: member status, role, plan features
    (and plan limits, where records are made: `reserve_quota`)."""
    if not (actor.is_owner or actor.is_accepted):
        raise NamedError("UnauthorizedAction_403", "your membership is not accepted or is blocked")
    if not actor.may(module, method):
        raise NamedError("UnauthorizedAction_403", f"your role lacks the permission {module}.{permission_of(method)}")
    if allowed.modules is not None and module not in allowed.modules:
        raise NamedError("PlanDoesNotIncludeThisFeature_400", f"the feature {module} is not in your plan")


@contextmanager
def limited(allowed: Entitlement) -> Iterator[None]:
    """Inside the block new records count against the plan's limits (`reserve_quota`); the key path makes none of these checks."""
    token = _allowed.set(allowed)
    try:
        yield
    finally:
        _allowed.reset(token)


def is_limited() -> bool:
    """Whether new records count against a plan now, for work that makes them later."""
    return _allowed.get() is not None


def reserve_quota(module: str, wanted: int = 1) -> None:
    """Reserve the quota for `wanted` more records of a module, or raise `quota_exceeded`.

    Called in the transaction that makes them: a lock until its end keeps others from reserving the same quota. Outside of `limited`
    nothing is counted.
    """
    left = remaining_quota(module)
    if left is not None and left < wanted:
        raise quota_exceeded(module, left)


def remaining_quota(module: str) -> int | None:
    """How many more records of a module the plan allows, locked until the transaction ends; None: no limit."""
    limit = _limit_of(module)
    if limit is None or module not in USAGE:
        return None
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("quota is reserved in the transaction that makes the records")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"leadwright.usage:{company_id()}:{module}"]
        )
    return max(0, limit - USAGE[module].records().order_by()[:limit].count())


def quota_exceeded(module: str, left: int = 0) -> NamedError:
    """The error of a module whose limit is reached: PlanLimitExceeded_403, PlanSubscriptionLimitExceeded_403 where the
    subscription has a limit of its own, or what the module's app has chosen."""
    allowed, error = _allowed.get() or Entitlement(), USAGE[module].error
    whose = "subscription" if module in allowed.own else "plan"
    if error == PLAN_LIMIT and whose == "subscription":
        error = OWN_LIMIT
    return NamedError(
        error,
        f"your {whose} allows {allowed.limits.get(module)} records of {module}, and there is room for {left} more",
    )


def limit_errors(module: str) -> tuple[str, ...]:
    """The names of the errors that making records of the module may raise for its quota; none for a module that is not counted."""
    if module not in USAGE:
        return ()
    error = USAGE[module].error
    return (error, OWN_LIMIT) if error == PLAN_LIMIT else (error,)


def used_quota(module: str) -> int:
    """How many records of the active company count against a limit of the module; 0 for a module that nothing is counted of."""
    return USAGE[module].records().order_by().count() if module in USAGE else 0


def _limit_of(module: str) -> int | None:
    allowed = _allowed.get()
    return None if allowed is None else allowed.limits.get(module)
