"""Quotas: how many records of a module a company may have, and how many it has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet

from core.access.entitlements import Entitlement
from core.errors import NamedError
from core.tenancy import company_id, everybodys_records
from core.text.labels.modules import name_of

PLAN_LIMIT = "PlanLimitExceeded_403"
OWN_LIMIT = "PlanSubscriptionLimitExceeded_403"


@dataclass(frozen=True)
class Usage:
    """The counting of a module: `records` returns the records of the active company, `error` is the quota's error."""

    records: Callable[[], QuerySet[Any]]
    error: str


USAGE: dict[str, Usage] = {}
"""Module -> the records that count against a limit of it."""
METERED: dict[str, Callable[[], int]] = {}
"""Name of a limit that is no number of records -> how much of it the active company has used so far."""
RATES: set[str] = set()
"""Names of limits that are paces, of which nothing is ever used up."""
_allowed: ContextVar[Entitlement | None] = ContextVar("leadwright_limits", default=None)


def count_usage(module: str, records: Callable[[], QuerySet[Any]], *, error: str = PLAN_LIMIT) -> None:
    """Register the records of the active company that count against a limit of the module, and the quota's error.

    Each session that creates a record counts them, up to the limit; so the count should need one index and no table.
    """
    USAGE[module] = Usage(records, error)


def meter_usage(name: str, used: Callable[[], int]) -> None:
    """Register a limit of plans that is no number of records, and a function that returns the active company's use."""
    METERED[name] = used


@contextmanager
def limited_creation(allowed: Entitlement) -> Iterator[None]:
    """Count new records against the limits of `allowed` inside the block. The key path never enters it."""
    token = _allowed.set(allowed)
    try:
        yield
    finally:
        _allowed.reset(token)


def is_limited() -> bool:
    """Return whether new records count against limits now; work that creates records later asks this first."""
    return _allowed.get() is not None


def reserve_quota(module: str, number: int = 1) -> None:
    """Reserve the quota for `number` more records of a module, or raise `quota_exceeded`.

    The caller's transaction creates the records: a lock until its end keeps others from reserving the same quota.
    Outside of `limited_creation` nothing is counted.
    """
    left = remaining_quota(module)
    if left is not None and left < number:
        raise quota_exceeded(module, left)


def refuse_over_quota(module: str) -> None:
    """Raise `quota_exceeded` if the company has more records of a module than the limit allows, for example since it
    changed to a smaller plan. Outside of `limited_creation` nothing is counted."""
    limit = _limit_of(module)
    if limit is None or module not in USAGE:
        return
    # Counted up to the limit only: a company may have a million records.
    if _count(module, limit + 1) > limit:
        raise quota_exceeded(module)


def lock_company(name: str) -> None:
    """Serialize the transactions of the company that count the same thing, and then add to it."""
    with connection.cursor() as cursor:
        # 64 bits, so that two companies practically never wait for each other.
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"leadwright.{name}:{company_id()}"])


def remaining_quota(module: str) -> int | None:
    """Return how many more records of a module the limit allows, locked until the transaction ends. None: no limit."""
    limit = _limit_of(module)
    if limit is None or module not in USAGE:
        return None
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("quota is reserved in the transaction that creates the records")
    lock_company(f"usage:{module}")
    return max(0, limit - _count(module, limit))


def _count(module: str, most: int) -> int:
    """Return the number of the company's records of a module, counted up to `most`."""
    with everybodys_records(reason="limits of plans count the records of all members"):
        return USAGE[module].records().order_by()[:most].count()


def quota_exceeded(module: str, left: int = 0) -> NamedError:
    """Return the error of a module whose limit is reached.

    It is PlanLimitExceeded_403, PlanSubscriptionLimitExceeded_403 for a limit of the subscription's own, or the error
    that the module's app has registered.
    """
    entitlement, error = _allowed.get() or Entitlement(), USAGE[module].error
    whose = "subscription" if module in entitlement.own else "plan"
    if error == PLAN_LIMIT and whose == "subscription":
        error = OWN_LIMIT
    limit = entitlement.limits.get(module)
    return NamedError(
        error,
        f"your {whose} allows {limit} {_limit_noun(module)}, and there is room for {left} more",
    )


def check_metered(name: str, count_more: Callable[[], int], *, error: str) -> None:
    """Raise `error` if the number that `count_more` returns would exceed a metered limit.

    Others of the company who check it wait until the caller's transaction ends.
    Outside of `limited_creation` nothing is counted.
    """
    limit = _limit_of(name)
    if limit is None:
        return
    lock_company(f"usage:{name}")
    used, more = used_quota(name), count_more()
    if used + more > limit:
        raise NamedError(
            error, f"your plan allows {limit:,} {_limit_noun(name)}; there are {used:,}, and {more:,} are wanted"
        )


def _limit_noun(name: str) -> str:
    """Return the limit's noun in lower case."""
    label = name_of(name)
    return label if label[:2].isupper() else label[:1].lower() + label[1:]


def limit_errors(module: str) -> tuple[str, ...]:
    """Return the names of the quota errors that creating records of the module may raise; none if it isn't counted."""
    if module not in USAGE:
        return ()
    error = USAGE[module].error
    return (error, OWN_LIMIT) if error == PLAN_LIMIT else (error,)


def used_quota(module: str) -> int:
    """Return how many records of the active company count against a limit of the module; 0 if it isn't counted. Of a
    metered limit return how much of it is used."""
    if module in METERED:
        return METERED[module]()
    return USAGE[module].records().order_by().count() if module in USAGE else 0


def _limit_of(module: str) -> int | None:
    entitlement = _allowed.get()
    return None if entitlement is None else entitlement.limits.get(module)
