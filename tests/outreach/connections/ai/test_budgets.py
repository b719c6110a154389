"""Budgets of AI calls: reserved before, settled after, given back, and never passed by any number of workers."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
import time_machine
from django.utils import timezone

from core.jobs import WORK
from core.tenancy import unscoped
from outreach.connections.ai.budgets import CompanyMeter, release_all_expired
from outreach.connections.ai.providers import ProviderError
from outreach.models import AiApp, AiBudget, AiUsage
from tests.kit.cast import Cast, make_cast
from tests.kit.threads import at_once

TEST = AiUsage.Purpose.TEST
WORKERS, CALLS = 8, 6
CAP = 2_000


def app(**values: object) -> AiApp:
    return AiApp.objects.create(provider="ai-b", name="Model", **values)


def spend(meter: CompanyMeter, tokens: int = 100, most: int = 200) -> None:
    with meter.call(most // 2, most // 2) as used:
        used.tokens_in, used.tokens_out = tokens // 2, tokens // 2


def of(key: str) -> AiBudget:
    return AiBudget.objects.get(key__startswith=key)


@pytest.mark.django_db(transaction=True)
def test_eight_workers_never_pass_a_cap() -> None:
    cast = make_cast()
    with cast.scope():
        model = app(monthly_token_cap=CAP)
    seen: list[int] = []
    refusals: set[str] = set()

    def work(n: int) -> int:
        done = 0
        for _ in range(CALLS):
            try:
                with CompanyMeter(model, TEST).call(60, 60) as used:
                    budget = of("app:")
                    seen.append(budget.tokens_used + budget.tokens_reserved)
                    used.tokens_in, used.tokens_out = 60, 40
                done += 1
            except ProviderError as error:
                refusals.add(error.name)
        return done

    done = sum(at_once(WORKERS, cast.company.pk, work))
    with cast.scope():
        assert max(seen) <= CAP
        assert refusals == {"AIUsageLimitReached_429"}
        assert done == AiUsage.objects.filter(status="settled").count() < WORKERS * CALLS
        for key in ("app:", "company:"):
            assert (of(key).tokens_used, of(key).tokens_reserved) == (done * 100, 0)
        assert CAP - 120 < of("app:").tokens_used <= CAP


def test_a_call_is_settled_and_a_failure_given_back(scope: Cast) -> None:
    model = app(price_per_million_in=Decimal(2), price_per_million_out=Decimal(8), monthly_cost_cap=Decimal("0.002"))
    meter = CompanyMeter(model, TEST)
    spend(meter)
    with suppress(ZeroDivisionError), meter.call(100, 100):
        assert AiUsage.objects.filter(status="reserved").count() == 1
        assert of("app:").tokens_reserved == 200
        raise ZeroDivisionError
    budget = of("app:")
    assert (budget.tokens_used, budget.tokens_reserved, budget.cost_used, budget.cost_reserved) == (
        100,
        0,
        Decimal("0.0005"),
        0,
    )
    assert AiUsage.objects.get().cost == Decimal("0.0005")
    with pytest.raises(ProviderError, match="0.002 in cost a month"):
        spend(meter, most=400)


def test_what_a_killed_worker_has_reserved_comes_back(scope: Cast) -> None:
    meter = CompanyMeter(app(monthly_token_cap=250), TEST)
    dead = meter._reserve(100, 100)
    with pytest.raises(ProviderError):
        spend(meter)
    with time_machine.travel(timezone.now() + timedelta(minutes=16)):
        spend(meter)
        assert (of("company:").tokens_used, of("company:").tokens_reserved) == (100, 0)
        meter._settle(dead, 60, 40)  # it was no death after all: what was used counts, once
        assert (of("company:").tokens_used, of("company:").tokens_reserved) == (200, 0)
        assert AiUsage.objects.count() == 2


def test_the_periodic_task_gives_back_what_has_expired(cast: Cast) -> None:
    with cast.scope():
        CompanyMeter(app(), TEST)._reserve(100, 100)
    assert WORK["periodic:outreach.expired_ai_calls"].run is release_all_expired
    with time_machine.travel(timezone.now() + timedelta(minutes=16)), unscoped(reason="test"):
        assert release_all_expired() is False
    with cast.scope():
        assert (AiUsage.objects.count(), of("app:").tokens_reserved) == (0, 0)


def test_a_month_ends_and_a_hostile_count_is_bounded(scope: Cast) -> None:
    meter = CompanyMeter(app(monthly_token_cap=200), TEST)
    with time_machine.travel(datetime(2026, 12, 31, 23, 59, tzinfo=UTC), tick=False):
        spend(meter)
        with pytest.raises(ProviderError) as caught:
            spend(meter)
        assert caught.value.retry_after == 60
    with time_machine.travel(datetime(2027, 1, 1, 0, 1, tzinfo=UTC), tick=False):
        with meter.call(50, 50) as used:
            used.tokens_in, used.tokens_out = 10**30, -5
        assert of(f"app:{meter.app.pk}:2027-01").tokens_used == 10_000_000
