"""What a company has paid for is kept: over pauses, with an order of nothing, and when it pays ahead."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine
from django.utils import timezone

from billing.checkout.unused import unused_amount
from billing.models import Coupon, Plan, Subscription
from billing.subscriptions.pauses import pause_subscription, resume_subscription
from config.local.gateway_standin.server import Server
from tests.billing.checkout.helpers import buyer_again, order, pay, subscription_of
from tests.billing.subscriptions.helpers import plan_of
from tests.kit.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def bought(server: Server) -> tuple[Cast, Plan]:
    """A company that has paid for a month of a plan that can be paused."""
    plan = plan_of("Kept", amount="300", pause_months=2)
    cast = buyer_again()
    pay(cast, order(cast, plan, seats=2)["payment"]["_id"])
    return cast, plan


def test_pauses_keep_what_is_unused(bought: tuple[Cast, Plan]) -> None:
    cast, _ = bought
    company, now = cast.company.pk, timezone.now()

    def unused() -> int:
        with cast.scope():
            return unused_amount(subscription_of(cast), "USD", timezone.now())

    with time_machine.travel(now + timedelta(days=3), tick=False):
        before = unused()
    assert before > 20000
    for day in (3, 13):
        with time_machine.travel(now + timedelta(days=day), tick=False), cast.scope():
            pause_subscription(company_id=company, until=timezone.now() + timedelta(days=20))
        with time_machine.travel(now + timedelta(days=day + 10), tick=False):
            with cast.scope():
                resume_subscription(company_id=company)
            assert abs(unused() - before) <= 1


def test_an_order_of_nothing_opens_the_period_that_it_says(bought: tuple[Cast, Plan]) -> None:
    cast, plan = bought
    end = subscription_of(cast).period_end
    Coupon.objects.create(code="ALL", name="All", percent=Decimal(100))
    with cast.scope():
        Subscription.objects.update(scheduled={"seats": 1})
    quote = order(cast, plan, couponCode="ALL")["quote"]
    found = subscription_of(cast)
    assert end is not None
    assert found.period_end is not None
    assert found.period_end > end + timedelta(days=27)
    assert (quote["periodEnd"][:19], found.scheduled) == (found.period_end.isoformat()[:19], {"seats": 1})
    shown = cast.session.get("/subscription/" + found.pk).data["period"]
    ends = [shown[name][:19] for name in ("runsUntil", "end")]
    assert ends == [end.isoformat()[:19], found.period_end.isoformat()[:19]]
    assert [one["periodStart"] for one in cast.session.get("/subscription").data] == [shown["start"]]
    assert shown["start"] < timezone.now().isoformat()


def test_paying_ahead_changes_no_seats(bought: tuple[Cast, Plan]) -> None:
    cast, plan = bought
    held = subscription_of(cast).seats
    refused = cast.session.post("/subscription/preview", {"planID": plan.pk, "seats": 5})
    assert refused.status == 400, refused.body
    assert cast.session.post("/subscription/preview", {"planID": plan.pk}).data["seats"] == held


def test_seats_of_a_lapsed_company_are_refused_in_words(bought: tuple[Cast, Plan]) -> None:
    cast, _ = bought
    with cast.scope():
        Subscription.objects.update(status="expired", ends_at=timezone.now())
    refused = cast.session.post("/subscription/seats", {"seats": 3})
    assert refused.status == 400, refused.body
