"""Budgets of AI calls. Usage is reserved before each call, settled after it, and released if the call fails.

A reservation is an AiUsage row and its share of up to three budgets (company and month, app and month, run). Each
budget is taken by one UPDATE that checks its cap, so no number of workers exceeds it together. A reservation whose
worker was killed expires. It is released when another call is refused, or within the hour.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Value
from django.db.models.functions import Least
from django.utils import timezone

from core.access import entitlement
from core.access.meters import Meter as PlanMeter
from core.access.meters import MeterUsedUp, Outcome, reserve_or_raise, settle
from core.access.meters import release as release_units
from core.errors import NamedError
from core.tenancy import company_id, company_scope
from core.text.formats import day_text
from core.types import JsonObject
from outreach.connections.ai.models import AiApp, AiBudget, AiCaps, AiUsage
from outreach.connections.ai.providers.base import Meter, ProviderError, Used

PLAN_LIMIT = "ai-tokens"
"""The name of a plan's limit of AI tokens a month."""
RESERVED_FOR = dt.timedelta(minutes=15)
"""Longer than any call takes."""
RUN_RETRY = dt.timedelta(hours=1)
LIMIT = "AIUsageLimitReached_429"
MILLION = 1_000_000
MAX_TOKENS = 10_000_000
"""The maximum of one call, even if the server reports more."""
MAX_COST = Decimal(10**11)
"""The maximum of a budget: the limit of the column, less the cost of one call."""


@dataclass(frozen=True, slots=True)
class Cap:
    """The most that may be used; None: no cap."""

    tokens: int | None = None
    cost: Decimal | None = None

    def smaller_of(self, other: Cap) -> Cap:
        """Return the smaller of both."""
        return Cap(_least(self.tokens, other.tokens), _least(self.cost, other.cost))


def _least(first: Any, other: Any) -> Any:
    return min((each for each in (first, other) if each is not None), default=None)


@dataclass(frozen=True, slots=True)
class Budget:
    """A budget that a call is taken from, with its cap and its name for people."""

    key: str
    cap: Cap
    named: str
    monthly: bool


@dataclass(frozen=True)
class Reservation:
    """A call's reservation."""

    id: str
    keys: Sequence[str]
    tokens: int
    cost: Decimal
    credit: bool = False
    """The reservation includes a credit of the plan."""


def call_price(app: AiApp, tokens_in: int, tokens_out: int) -> Decimal:
    """Return the cost of the tokens by the app's prices, at most the maximum of a budget; 0 without prices."""
    # Decimals throughout: sums of floats would drift from the invoices of the vendor.
    whole = tokens_in * (app.price_per_million_in or 0) + tokens_out * (app.price_per_million_out or 0)
    return min(Decimal(whole) / MILLION, MAX_COST).quantize(Decimal("0.000001"))


def month_of(moment: dt.datetime) -> str:
    # UTC, as the vendors count their months.
    return moment.astimezone(dt.UTC).strftime("%Y-%m")


def next_month(moment: dt.datetime) -> dt.datetime:
    """Return the start of the next calendar month (UTC)."""
    first = moment.astimezone(dt.UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (first + dt.timedelta(days=32)).replace(day=1)


def company_cap() -> Cap:
    """Return the active company's cap a month: its own, or its plan's if that is smaller."""
    own = AiCaps.objects.first()
    mine = Cap(own.monthly_token_cap, own.monthly_cost_cap) if own else Cap()
    return mine.smaller_of(Cap(plan_tokens()))


def plan_tokens() -> int | None:
    """Return how many tokens a month the active company's plan allows; None: no limit."""
    try:
        return entitlement(company_id()).limits.get(PLAN_LIMIT)
    except NamedError:
        # Without a subscription the plan says nothing; what may still be done is decided elsewhere.
        return None


def run_use(run_id: str) -> JsonObject:
    """Return the tokens and the cost of a run's calls so far."""
    row = AiBudget.objects.filter(key=f"run:{run_id}").values("tokens_used", "cost_used").first()
    return {"tokens": row["tokens_used"], "cost": row["cost_used"]} if row else {"tokens": 0, "cost": 0}


def remaining(app: AiApp, run: Cap) -> Cap:
    """Return what the caps leave a new run with the cap `run`, of the tokens and of the cost this month."""
    budgets = [*CompanyMeter(app, AiUsage.Purpose.COMPOSE).budgets(timezone.now())]
    budgets_by_key = {row.key: row for row in AiBudget.objects.filter(key__in=[budget.key for budget in budgets])}
    left = run
    for budget in budgets:
        used = budgets_by_key.get(budget.key, AiBudget())
        tokens = None if budget.cap.tokens is None else budget.cap.tokens - used.tokens_used - used.tokens_reserved
        cost = None if budget.cap.cost is None else budget.cap.cost - used.cost_used - used.cost_reserved
        left = left.smaller_of(Cap(tokens, cost))
    tokens = None if left.tokens is None else max(0, left.tokens)
    return Cap(tokens, None if left.cost is None else max(Decimal(0), left.cost))


class CompanyMeter(Meter):
    """Bounds and counts an app's calls for one purpose. `run` has the caps of a run: pk, token_cap, cost_cap."""

    def __init__(self, app: AiApp, purpose: AiUsage.Purpose, run: Any = None) -> None:
        self.app = app
        self.purpose = purpose
        self.run = run

    @contextmanager
    def call(self, tokens_in: int, tokens_out: int) -> Iterator[Used]:
        # Reserved and committed before the call: no transaction is open while the model writes.
        held = self._reserve(tokens_in, tokens_out)
        used = Used(held.id)
        try:
            yield used
        # Also after an error: a call that was never answered costs nothing, one that was answered is counted.
        finally:
            if used.tokens_in is None or used.tokens_out is None:
                release(held)
            else:
                used.id = self._settle(held, _sane(used.tokens_in), _sane(used.tokens_out))

    def failed(self, used: Used, detail: str) -> None:
        AiUsage.objects.filter(pk=used.id).update(error=detail)

    def remember(self, quirks: JsonObject) -> None:
        AiApp.objects.filter(pk=self.app.pk).update(quirks=quirks)

    def budgets(self, now: dt.datetime) -> list[Budget]:
        """Return the budgets of a call, in the order in which each call locks them."""
        month, app = month_of(now), self.app
        limits = [
            Budget(f"company:{month}", company_cap(), "all AI apps of the company", True),
            Budget(f"app:{app.pk}:{month}", Cap(app.monthly_token_cap, app.monthly_cost_cap), f"“{app.name}”", True),
        ]
        if self.run is not None:
            limits.append(Budget(f"run:{self.run.pk}", Cap(self.run.token_cap, self.run.cost_cap), "this run", False))
        return limits

    def _reserve(self, tokens_in: int, tokens_out: int) -> Reservation:
        now = timezone.now()
        cost = call_price(self.app, tokens_in, tokens_out)
        budgets = self.budgets(now)
        for last in (False, True):
            try:
                return self._reserve_in(budgets, tokens_in, tokens_out, cost, now)
            except MeterUsedUp as empty:
                raise _used_up(empty, now) from None
            except _Full as full:
                # Once more only if something was given back: a killed worker must not block a budget.
                if last or not release_expired():
                    raise _refusal(full.budget, now) from None
            # The app's row was deleted between its choice and this insert.
            except IntegrityError:
                detail = f"“{self.app.name}” was deleted meanwhile."
                raise ProviderError("configuration", detail, temporary=True, halts=True) from None
        raise AssertionError("unreachable")

    @transaction.atomic
    def _reserve_in(
        self, budgets: Sequence[Budget], tokens_in: int, tokens_out: int, cost: Decimal, now: dt.datetime
    ) -> Reservation:
        tokens, keys = tokens_in + tokens_out, [budget.key for budget in budgets]
        # The first call of a month makes its rows; two at once must not fail.
        AiBudget.objects.bulk_create([AiBudget(key=key) for key in keys], ignore_conflicts=True)
        # Company, app, run, always in this order, so that no two calls wait for each other.
        for budget in budgets:
            rows = AiBudget.objects.filter(key=budget.key)
            if budget.cap.tokens is not None:
                # Checked in the UPDATE's condition: a check before it would let many workers pass together.
                rows = rows.filter(tokens_used__lte=Value(budget.cap.tokens - tokens) - F("tokens_reserved"))
            if budget.cap.cost is not None:
                rows = rows.filter(cost_used__lte=Value(budget.cap.cost - cost) - F("cost_reserved"))
            rows = rows.filter(cost_used__lte=Value(MAX_COST - cost) - F("cost_reserved"))
            if not rows.update(tokens_reserved=F("tokens_reserved") + tokens, cost_reserved=F("cost_reserved") + cost):
                raise _Full(budget)
        # In the same transaction as the budgets, so a kill leaves all or nothing.
        row = AiUsage.objects.create(
            app=self.app,
            run_id=self.run.pk if self.run is not None else None,
            purpose=self.purpose,
            model=self.app.selected_model,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost=cost,
            expires_at=now + RESERVED_FOR,
        )
        return Reservation(row.pk, keys, tokens, cost, reserve_or_raise(CREDITS.key, 1, row.pk))

    @transaction.atomic
    def _settle(self, held: Reservation, tokens_in: int, tokens_out: int) -> str:
        """Store the usage of a call. Returns the id of its entry."""
        values: JsonObject = {
            "status": AiUsage.Status.SETTLED,
            "tokens_in": tokens_in,
            "tokens_out": tokens_out,
            "cost": call_price(self.app, tokens_in, tokens_out),
            "expires_at": None,
        }
        tokens = held.tokens
        cost = held.cost
        id = held.id
        if not AiUsage.objects.filter(pk=held.id).update(updated_at=timezone.now(), **values):
            # It had expired and was given back, but was used all the same.
            tokens, cost = 0, Decimal(0)
            run = self.run.pk if self.run is not None else None
            fields = {"run_id": run, "purpose": self.purpose, "model": self.app.selected_model}
            id = AiUsage.objects.create(app=self.app, **fields, **values).pk
        for key in held.keys:
            AiBudget.objects.filter(key=key).update(
                tokens_reserved=F("tokens_reserved") - tokens,
                cost_reserved=F("cost_reserved") - cost,
                tokens_used=F("tokens_used") + tokens_in + tokens_out,
                # A wrong price must not overflow the column and lose the entry.
                cost_used=Least(F("cost_used") + values["cost"], Value(MAX_COST)),
                updated_at=timezone.now(),
            )
        if held.credit:
            settle(CREDITS.key, [held.id])
        return id


class _Full(Exception):
    """A budget is used up."""

    def __init__(self, budget: Budget) -> None:
        super().__init__(budget.key)
        self.budget = budget


def _sane(tokens: int) -> int:
    return max(0, min(tokens, MAX_TOKENS))


def _refusal(budget: Budget, now: dt.datetime) -> ProviderError:
    caps = [f"{budget.cap.tokens:,} tokens"] if budget.cap.tokens is not None else []
    caps += [f"{budget.cap.cost.normalize():f} in cost"] if budget.cap.cost is not None else []
    caps = caps or [f"{MAX_COST:,} in cost"]
    until = next_month(now) if budget.monthly else now + RUN_RETRY
    span = " a month" if budget.monthly else ""
    detail = f"The cap of {budget.named}, {' and '.join(caps)}{span}, leaves no room for another call."
    seconds = max(1, math.ceil((until - now).total_seconds()))
    return ProviderError("usage_limit", detail, temporary=True, name=LIMIT, retry_after=seconds, halts=True)


def _used_up(empty: MeterUsedUp, now: dt.datetime) -> ProviderError:
    detail = f"All of the {empty.limit:,} AI credits of your plan are used until {day_text(empty.until)}."
    seconds = max(1, math.ceil((empty.until - now).total_seconds()))
    return ProviderError("usage_limit", detail, temporary=True, name=LIMIT, retry_after=seconds, halts=True)


def outcome_of(ids: Sequence[str]) -> Outcome:
    """Return which of the calls were answered, and which are under way."""
    rows = list(AiUsage.objects.filter(pk__in=ids).values_list("pk", "status"))
    settled = AiUsage.Status.SETTLED
    return Outcome([pk for pk, status in rows if status == settled], [pk for pk, status in rows if status != settled])


CREDITS = PlanMeter("ai_credits", outcome_of)
"""The meter of calls of AI models."""


@transaction.atomic
def release(held: Reservation) -> None:
    """Give back what a call has reserved and not used. Twice changes nothing."""
    # Only who deletes the row gives it back: the call itself and the sweep may both try.
    deleted, _ = AiUsage.objects.filter(pk=held.id, status=AiUsage.Status.RESERVED).delete()
    if deleted:
        for key in held.keys:
            AiBudget.objects.filter(key=key).update(
                tokens_reserved=F("tokens_reserved") - held.tokens, cost_reserved=F("cost_reserved") - held.cost
            )
        if held.credit:
            release_units(CREDITS.key, [held.id])


def release_expired() -> int:
    """Give back the active company's reservations that have expired. Returns how many."""
    rows = AiUsage.objects.filter(status=AiUsage.Status.RESERVED, expires_at__lt=timezone.now())
    expired = list(rows.order_by("pk")[:1000])
    for row in expired:
        # The month of the reservation, and not the present one, whose budget never held it.
        month = month_of(row.expires_at - RESERVED_FOR if row.expires_at else row.created_at)
        keys = [f"company:{month}", f"app:{row.app_id}:{month}", *([f"run:{row.run_id}"] if row.run_id else [])]
        release(Reservation(row.pk, keys, row.tokens_in + row.tokens_out, row.cost, credit=True))
    return len(expired)


def release_all_expired() -> bool:
    """Give back the expired reservations of some companies (a periodic task). Returns whether more may wait."""
    rows = AiUsage.objects.filter(status=AiUsage.Status.RESERVED, expires_at__lt=timezone.now())
    companies = list(rows.order_by("company_id").values_list("company_id", flat=True).distinct()[:100])
    for company in companies:
        with company_scope(company):
            release_expired()
    return len(companies) == 100
