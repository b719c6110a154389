"""GET /subscription/usage and its page: this month with a forecast, and day by day on the company's clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from billing.entitlements.use import notify_of_usage
from billing.models import Subscription
from core.access.meters import reserve, settle
from core.tenancy import unscoped
from tests.billing.meters.test_counting import metered, numbered
from tests.billing.subscriptions.helpers import mails
from tests.kit.cast import Cast, make_cast
from tests.kit.html import html_of
from tests.web.helpers import at as address
from tests.web.helpers import enter, text_of

pytestmark = pytest.mark.django_db
START = datetime(2026, 11, 1, 12, tzinfo=UTC)


def using(price: str | None = "0.01") -> Cast:
    """A company that has used 30 of 20 messages in ten of thirty days."""
    with time_machine.travel(START, tick=False):
        cast = make_cast()
        metered(cast, 20, price)
    for day, first in ((0, 0), (9, 10)):
        with time_machine.travel(START + timedelta(days=day), tick=False), cast.scope():
            reserve("messages", numbered(first, 10 if first == 0 else 20))
            settle("messages", numbered(first, 10))
    return cast


def read(cast: Cast, **asked: str) -> Any:
    with time_machine.travel(START + timedelta(days=10), tick=False):
        return cast.key.get("/subscription/usage", **asked)


def test_a_meter_with_its_forecast_and_days() -> None:
    cast = using()
    found = read(cast).data
    assert (found["from"], found["to"]) == ("2026-11-01", "2026-11-11")
    [meter] = found["meters"]
    names = ("meter", "included", "used", "percent", "overage", "price", "forecast")
    assert {name: meter[name] for name in names} == {
        "meter": "messages",
        "included": 20,
        "used": 30,
        "percent": 100,
        "overage": 10,
        "price": {"amount": 0.01, "currency": "USD"},
        "forecast": 90,
    }
    assert (meter["overageCost"]["amountMinor"], meter["forecastCost"]["amountMinor"]) == (10, 70)
    assert {one["day"]: one["used"] for one in meter["days"] if one["used"]} == {"2026-11-01": 10, "2026-11-10": 20}
    assert len(meter["days"]) == 11


def test_days_are_chosen_and_bad_ones_named() -> None:
    cast = using()
    [meter] = read(cast, **{"from": "2026-11-09", "to": "2026-11-10"}).data["meters"]
    assert [one["used"] for one in meter["days"]] == [0, 20]
    for asked, named in (
        ({"from": "tomorrow"}, "from"),
        ({"to": "2026-13-01"}, "to"),
        ({"from": "2026-11-10", "to": "2026-11-09"}, "from"),
        ({"from": "2020-01-01"}, "from"),
        ({"until": "2026-11-09"}, "until"),
    ):
        answer = read(cast, **asked)
        assert answer.status == 400, asked
        assert named in str(answer.body), answer.body


def test_without_a_price_nothing_goes_beyond() -> None:
    [meter] = read(using(None)).data["meters"]
    assert (meter["used"], meter["overage"], meter["price"], meter["overageCost"]) == (20, 0, None, None)


def test_a_company_without_limits_or_subscription_has_no_meters() -> None:
    cast = make_cast()
    assert cast.session.get("/subscription/usage").data["meters"] == []
    with cast.scope():
        Subscription.objects.update(status="expired")
    assert cast.key.get("/subscription/usage").status == 200
    with cast.scope():
        Subscription.objects.all().delete()
    assert cast.session.get("/subscription/usage").data["meters"] == []


def test_owners_are_told_in_each_month_anew() -> None:
    cast = using(None)

    def notify(day: float) -> int:
        with time_machine.travel(START + timedelta(days=day), tick=False), unscoped(reason="test"):
            notify_of_usage()
        return sum("nearly_used" in kind for kind in mails(cast.company))

    with cast.scope():
        Subscription.objects.update(interval="year", period_end=START + timedelta(days=365))
    assert [notify(10), notify(11)] == [1, 1]
    assert notify(31) == 1
    with time_machine.travel(START + timedelta(days=32), tick=False), cast.scope():
        reserve("messages", numbered(100, 18))
    assert notify(33) == 2


def test_the_page_shows_bars_forecast_and_marks() -> None:
    cast = using()
    with time_machine.travel(START + timedelta(days=10), tick=False):
        browser = enter(cast.owner)
        page = browser.get(address(cast.owner, "settings/plan/usage"))
        plain = text_of(page)
        assert browser.get(address(cast.owner, "settings/plan")).status_code == 200
    assert "30 of 20, all used" in plain
    assert "$0.01 each, billed with the next period: 10 so far, $0.10" in plain
    assert "90, $0.70 over the included amount" in plain
    assert html_of(page).count('class="hit"') == 11
    empty = make_cast()
    assert "No metered usage" in text_of(enter(empty.owner).get(address(empty.owner, "settings/plan/usage")))
