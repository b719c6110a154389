"""Types of the API's answers about the subscription, as pages read them."""

from __future__ import annotations

from typing import TypedDict

from core.types import Values


class SeatsData(TypedDict):
    """Seats of a subscription."""

    used: int
    total: int | None


class PeriodData(TypedDict):
    """The paid period, from the start of the current period or the trial."""

    start: str | None
    end: str | None
    runsUntil: str | None


class NamedPlanData(TypedDict):
    """A plan by its name."""

    _id: str
    name: str


class ScheduledChangeData(TypedDict):
    """The plan, interval and seats of the subscription's next period."""

    plan: NamedPlanData
    interval: str
    seats: int | None
    at: str


class SubscriptionData(TypedDict):
    """The company's subscription; with status none, and ids and dates null, for a company that has none."""

    _id: str | None
    status: str
    isOpen: bool
    plan: Values | None
    interval: str
    currency: str
    seats: SeatsData
    period: PeriodData
    startsAt: str | None
    endsAt: str | None
    cancelAtPeriodEnd: bool
    scheduledChange: ScheduledChangeData | None
    scheduledSeats: int | None
    pauseMonths: int
    pausedUntil: str | None
    phase: str
    graceAt: str | None
    modules: list[str] | None
    limits: list[Values]
    addOns: list[Values]
    createdAt: str | None
    updatedAt: str | None


class SubscriptionPlansData(SubscriptionData):
    """The company's subscription, with the plans that are on offer."""

    plans: list[Values]
    offeredAddOns: list[Values]
