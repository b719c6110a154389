"""Each call of an AI model takes a credit of the plan, and gives it back when it fails."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from billing.models import MeterPeriod, Plan, Subscription
from billing.subscriptions.services import grant_subscription
from core.tenancy import unscoped
from outreach.connections.ai.budgets import CREDITS, CompanyMeter, release_all_expired
from outreach.connections.ai.providers import ProviderError
from outreach.models import AiBudget, AiUsage
from tests.kit.cast import Cast
from tests.outreach.connections.ai.test_budgets import TEST, app, spend


def allow(cast: Cast, credits: int) -> None:
    plan = Plan.objects.create(name=f"{credits} credits", limits={CREDITS.key: credits})
    grant_subscription(company_id=cast.company.pk, plan=plan, interval="month", currency="USD")


def counts() -> tuple[int, int]:
    row = MeterPeriod.objects.get(meter=CREDITS.key)
    return row.used, row.reserved


def test_calls_take_credits_until_none_is_left(scope: Cast) -> None:
    allow(scope, 2)
    meter = CompanyMeter(app(), TEST)
    spend(meter)
    with suppress(ZeroDivisionError), meter.call(1, 1):
        assert counts() == (1, 1)
        raise ZeroDivisionError
    assert counts() == (1, 0)
    spend(meter)
    with pytest.raises(ProviderError, match="2 AI credits of your plan") as caught:
        spend(meter)
    assert (caught.value.name, caught.value.halts, caught.value.temporary) == ("AIUsageLimitReached_429", True, True)
    end = Subscription.objects.get(is_primary=True).period_end
    assert end is not None
    assert caught.value.retry_after == pytest.approx((end - timezone.now()).total_seconds(), abs=60)
    assert counts() == (2, 0)
    assert (AiUsage.objects.count(), AiBudget.objects.get(key__startswith="company:").tokens_reserved) == (2, 0)


def test_what_a_killed_worker_has_taken_comes_back_and_counts_if_it_was_no_death(scope: Cast) -> None:
    allow(scope, 1)
    meter = CompanyMeter(app(), TEST)
    dead = meter._reserve(10, 10)
    assert counts() == (0, 1)
    with time_machine.travel(timezone.now() + timedelta(minutes=16)):
        with unscoped(reason="test"):
            release_all_expired()
        assert counts() == (0, 0)
        meter._settle(dead, 6, 4)
        assert counts() == (1, 0)


def test_a_plan_without_credits_counts_none(scope: Cast) -> None:
    spend(CompanyMeter(app(), TEST))
    assert not MeterPeriod.objects.exists()
