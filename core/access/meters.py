"""Meters: monthly use, such as messages, of which a subscription includes a number.

Use is reserved in advance, settled when it happens, and released when it does not. Billing counts (`set_meter_store`);
apps declare their meters (`register_meter`). A company without a limit for a meter in its subscription is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.access.entitlements import Entitlement, entitlement_source
from core.access.quota import meter_usage
from core.hooks import Hook
from core.tenancy import company_id


@dataclass(frozen=True)
class Outcome:
    """Outcomes of expired reservations by their sources. Sources in neither collection used nothing."""

    used: Collection[str] = ()
    under_way: Collection[str] = ()


@dataclass(frozen=True)
class Meter:
    """A meter. Its key is the name of the limit in plans.

    `outcome` looks up the results of sources of the active company; without it an unsettled reservation is released.
    """

    key: str
    outcome: Callable[[Sequence[str]], Outcome] | None = None


@dataclass(frozen=True)
class Reserved:
    """The sources that have a unit now, and when the next units come."""

    sources: Collection[str]
    until: datetime


class MeterStore(Protocol):
    """A counter of the active company's usage."""

    def reserve(self, meter: str, sources: Sequence[str], limit: int, quantity: int) -> Reserved: ...

    def settle(self, meter: str, sources: Sequence[str], quantity: int) -> None: ...

    def release(self, meter: str, sources: Sequence[str]) -> None: ...

    def used(self, meter: str) -> int: ...


class MeterUsedUp(Exception):
    """All units are used, and the plan sells no overage; new units come at `until`."""

    def __init__(self, meter: str, limit: int, until: datetime) -> None:
        super().__init__(meter)
        self.limit = limit
        self.until = until


METERS: dict[str, Meter] = {}
"""Key -> the meter."""
terms_changed: Hook[[], None] = Hook(
    __name__,
    "terms_changed",
    "After the active company's subscription has changed its limits or modules, in that transaction. Continues work"
    " that waits for a higher limit.",
)
_store: MeterStore | None = None


def set_meter_store(store: MeterStore) -> None:
    """Register the counter of companies' usage."""
    global _store
    _store = store


def register_meter(meter: Meter) -> None:
    """Register a meter, and the limit of plans that it is."""
    METERS[meter.key] = meter
    meter_usage(meter.key, lambda: _require_store().used(meter.key))


def reserve(
    meter: str, sources: Sequence[str], *, quantity: int = 1, allowed: Entitlement | None = None
) -> Reserved | None:
    """Reserve `quantity` units for each source, in order while units last; existing reservations stay.

    Returns None where the subscription sets no limit: nothing is counted then. `allowed` is the company's entitlement
    where it is known. The units are held from the caller's transaction on.
    """
    # Usually passed by the caller, which has checked the subscription already.
    allowed = allowed if allowed is not None else entitlement_source().of(company_id())
    limit = None if allowed is None else allowed.limits.get(meter)
    if limit is None or not sources:
        return None
    return _require_store().reserve(meter, sources, limit, quantity)


def reserve_or_raise(meter: str, quantity: int, source: str) -> bool:
    """Reserve units for one source. Returns whether they are counted, and so are to be settled or given back.

    Raises MeterUsedUp.
    """
    entitlement = entitlement_source().of(company_id())
    reserved = reserve(meter, [source], quantity=quantity, allowed=entitlement)
    if reserved is None or entitlement is None:
        return False
    if source not in reserved.sources:
        raise MeterUsedUp(meter, entitlement.limits[meter], reserved.until)
    return True


def settle(meter: str, sources: Sequence[str], *, quantity: int = 1) -> None:
    """Settle the reservations of the sources as used, expired ones included."""
    _require_store().settle(meter, sources, quantity)


def release(meter: str, sources: Sequence[str]) -> None:
    """Give back what the sources have reserved. What is settled stays used; twice changes nothing."""
    _require_store().release(meter, sources)


def _require_store() -> MeterStore:
    if _store is None:
        raise RuntimeError("no app counts the use of companies (core.access.set_meter_store)")
    return _store
