"""What payments do to subscriptions."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from accounts.models import Company, Referral, Reward
from billing.models import Subscription
from billing.subscriptions import renewals
from billing.subscriptions.renewals import record_payment
from billing.subscriptions.services import (
    cancel_subscription,
    change_subscription,
    grant_subscription,
)
from core.errors import ApiError, NamedError
from tests.billing.subscriptions.helpers import (
    NOON,
    actions,
    at,
    changes,
    days,
    make_company,
    plan_of,
    primary,
    run_renewals,
    subscribed,
)
from tests.kit.factories import UserFactory
from tests.kit.threads import at_once

pytestmark = pytest.mark.django_db
Status = Subscription.Status


def pay(company: Company, source: str = "manual:1", **values: Any) -> Subscription:
    return record_payment(
        **{"company_id": company.pk, "amount": Decimal(10), "currency": "USD", "source": source, **values}
    )


def test_a_payment_brings_the_next_period() -> None:
    company = subscribed()
    with at(NOON + days(3)):
        pay(company)
    found = primary(company)
    assert (found.period_start, found.period_end) == (
        datetime(2026, 4, 30, 12, tzinfo=UTC),
        datetime(2026, 5, 31, 12, tzinfo=UTC),
    )
    assert found.ends_at == datetime(2026, 6, 7, 12, tzinfo=UTC)
    change = changes(company)[-1]
    assert (change.action, change.source) == ("renewed", "manual:1")


def test_a_payment_ends_what_is_past_due_and_the_period_goes_on_from_its_end() -> None:
    company = subscribed()
    end = datetime(2026, 4, 30, 12, tzinfo=UTC)
    run_renewals(end)
    with at(end + days(5)):
        pay(company)
    found = primary(company)
    assert (found.status, found.period_start, found.period_end) == (
        Status.ACTIVE,
        end,
        datetime(2026, 5, 31, 12, tzinfo=UTC),
    )


def test_a_payment_opens_what_was_closed_from_now_on() -> None:
    company = subscribed()
    for day in (1, 20):
        run_renewals(datetime(2026, 5, day, tzinfo=UTC))
    assert primary(company).status == Status.EXPIRED
    with at(datetime(2026, 6, 15, tzinfo=UTC)):
        pay(company)
    found = primary(company)
    assert (found.status, found.period_start) == (Status.ACTIVE, datetime(2026, 6, 15, tzinfo=UTC))
    assert found.period_end == datetime(2026, 7, 15, tzinfo=UTC)


def test_a_payment_takes_a_cancellation_back() -> None:
    company = subscribed()
    with at(NOON + days(1)):
        cancel_subscription(company_id=company.pk, at_period_end=True)
        pay(company)
    assert primary(company).cancel_at_period_end is False


def test_the_same_payment_counts_once() -> None:
    company = subscribed()
    with at(NOON + days(1)):
        pay(company)
        end = primary(company).period_end
        pay(company)
        assert primary(company).period_end == end
        pay(company, "manual:2")
    assert primary(company).period_end == datetime(2026, 6, 30, 12, tzinfo=UTC)


@pytest.mark.django_db(transaction=True)
def test_the_same_payment_at_once_counts_once() -> None:
    company = make_company()
    with at(NOON):
        grant_subscription(company_id=company.pk, plan=plan_of("Club"), interval="month")
    with at(NOON + days(1)):
        at_once(10, None, lambda _: pay(company))
    assert actions(company).count("renewed") == 1
    assert primary(company).period_end == datetime(2026, 5, 31, 12, tzinfo=UTC)


def test_payments_that_make_no_sense_are_refused() -> None:
    company = make_company()
    with pytest.raises(NamedError, match="no interval") as caught:
        pay(company)
    assert caught.value.name == "BadRequest_400"
    for values in ({"amount": Decimal(0)}, {"amount": Decimal(-1)}, {"source": ""}):
        with pytest.raises(ApiError, match="amount, source"):
            pay(company, **{"source": "x", **values})
    assert actions(company) == ["started"]


def test_who_brought_the_company_is_rewarded_in_the_same_transaction(settings: Any) -> None:
    company, referrer, referred = subscribed(), UserFactory(), UserFactory()
    Referral.objects.create(
        referrer=referrer, user=referred, referred_company=company, code="ABC", program=Referral.Program.REFER
    )
    with at(NOON + days(1)):
        pay(company, amount=Decimal("50.00"), currency="EUR")
    reward = Reward.objects.get()
    assert (reward.beneficiary_id, reward.amount, reward.currency, reward.source) == (
        referrer.pk,
        Decimal("10"),
        "EUR",
        "manual:1",
    )


def test_a_payment_that_brings_no_reward_home_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    company = subscribed()
    end = primary(company).period_end

    def fail(**_: Any) -> None:
        raise RuntimeError("the ledger is broken")

    monkeypatch.setattr(renewals, "accrue", fail)
    with at(NOON + days(1)), pytest.raises(RuntimeError, match="ledger"):
        pay(company)
    assert (primary(company).period_end, actions(company)[-1]) == (end, "granted")


def test_seats_changed_within_the_period_stay_with_the_next() -> None:
    company = subscribed()
    with at(NOON + days(1)):
        change_subscription(company_id=company.pk, seats=4)
        pay(company)
    assert primary(company).seats == 4
