"""A pause gives nobody a new month of a meter: the one that ran goes on, with what was used."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from billing.meters.services import charge_ended
from billing.models import Charge, MeterPeriod, Plan, Subscription
from billing.subscriptions.pauses import pause_subscription, resume_subscription
from core.access.meters import reserve, settle
from core.tenancy import unscoped
from tests.billing.meters.test_counting import METER, counts, metered, numbered
from tests.kit.cast import Cast, make_cast

pytestmark = pytest.mark.django_db


def pausable(limit: int, price: str | None = None, interval: str = "month") -> Cast:
    cast = make_cast()
    with cast.scope():
        metered(cast, limit, price, interval=interval)
    Plan.objects.update(pause_months=3)
    return cast


def paused(cast: Cast, begins: datetime, length: timedelta) -> None:
    with time_machine.travel(begins, tick=False):
        pause_subscription(company_id=cast.company.pk, until=begins + timedelta(days=60))
    with time_machine.travel(begins + length, tick=False):
        resume_subscription(company_id=cast.company.pk)


def test_pausing_and_resuming_by_the_owner_resets_nothing() -> None:
    cast = pausable(10)
    with cast.scope():
        reserve(METER, numbered(0, 10))
        settle(METER, numbered(0, 9))
        path = f"/subscription/{Subscription.objects.get(is_primary=True).pk}"
        for turn in range(2):
            until = (timezone.now() + timedelta(days=9)).isoformat()
            assert cast.session.put(path, {"paused": {"until": until}}).status == 200
            assert cast.session.put(path, {"paused": None}).status == 200
            found = reserve(METER, [f"more{turn}"])
            assert found is not None
            assert (set(found.sources), counts(), MeterPeriod.objects.count()) == (set(), (10, 9, 1), 1)
        [shown] = [one for one in cast.session.get("/subscription/usage").data["meters"] if one["meter"] == METER]
        assert (shown["used"], shown["included"]) == (10, 10)


@pytest.mark.parametrize("day", [0.5, 20])
@pytest.mark.parametrize("length", [20, 45])
def test_a_month_that_was_paused_ends_with_the_period_and_is_billed_once(day: float, length: int) -> None:
    with time_machine.travel("2026-01-15T12:00:00Z", tick=False):
        cast = pausable(10, "0.5")
        begins = timezone.now() + timedelta(days=day)
    with cast.scope():
        with time_machine.travel(begins, tick=False):
            reserve(METER, numbered(0, 14))
            settle(METER, numbered(0, 14))
        paused(cast, begins, timedelta(days=length))
        end = Subscription.objects.get(is_primary=True).period_end
        assert end is not None
        for moment in (begins + timedelta(days=length), end - timedelta(seconds=1)):
            with time_machine.travel(moment, tick=False):
                reserve(METER, [f"later {moment}"])
                settle(METER, [f"later {moment}"])
        assert (MeterPeriod.objects.get().ends_at, counts()) == (end, (10, 16, 0))
        with time_machine.travel(end, tick=False):
            for _ in range(2):
                with unscoped(reason="test: the periodic task runs for all companies"):
                    charge_ended()
            assert [one.quantity for one in Charge.objects.all()] == [6]


@pytest.mark.parametrize(("begins", "length"), [("2026-03-15T18:00", 20), ("2026-03-15T18:00", 45), ("2026-05-20", 20)])
def test_a_pause_within_a_year_wins_no_month(begins: str, length: int) -> None:
    """The months of a year that is moved are of other lengths: the days that differ are all that they bring."""
    with time_machine.travel("2026-02-15T12:00:00Z", tick=False):
        cast = pausable(310, interval="year")
    start = datetime.fromisoformat(begins).replace(tzinfo=UTC)
    with cast.scope():
        with time_machine.travel(start, tick=False):
            reserve(METER, numbered(0, 310))
            left = MeterPeriod.objects.get().ends_at - start
        paused(cast, start, timedelta(days=length))
        with time_machine.travel(start + timedelta(days=length - 4) + left, tick=False):
            found = reserve(METER, numbered(400, 310))
        assert found is not None
        assert len(found.sources) <= 40
