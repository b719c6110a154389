"""What time does to subscriptions, looked at as the periodic task does, and what payments do."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection, transaction

from accounts.models import Company, CompanySettings, Mail, Referral, Reward
from billing.entitlements.selectors import entitlement_of
from billing.models import Subscription
from billing.subscriptions import renewals
from billing.subscriptions.renewals import process_due_subscriptions, record_payment
from billing.subscriptions.services import (
    activate_subscription,
    cancel_subscription,
    change_subscription,
    extend_subscription,
    grant_subscription,
)
from core.errors import ApiError, NamedError
from core.jobs import WORK
from core.tenancy import company_scope, unscoped
from tests.billing.subscriptions.helpers import (
    NOON,
    actions,
    at,
    changes,
    days,
    mails,
    make_company,
    plan_of,
    primary,
    run_renewals,
)
from tests.kit.factories import UserFactory
from tests.kit.threads import at_once

pytestmark = pytest.mark.django_db
Status = Subscription.Status


def choose(company: Company, **policies: Any) -> None:
    with company_scope(company.pk):
        CompanySettings.objects.update(subscription_policies=policies)


def is_let_in(company: Company, moment: datetime) -> bool:
    with at(moment), company_scope(company.pk):
        return entitlement_of(company.pk) is not None


def subscribed(*, amount: str | None = "10", interval: str = "month", **policies: Any) -> Company:
    """A company that has subscribed at NOON, the 31st of March."""
    with at(NOON):
        company = make_company()
        grant_subscription(
            company_id=company.pk, plan=plan_of("Club", amount=amount, interval=interval), interval=interval
        )
    choose(company, **{"remindDaysBefore": [], **policies})
    return company


def test_the_periodic_task_is_registered() -> None:
    assert WORK["periodic:subscriptions"].run is process_due_subscriptions


def test_a_trial_ends_and_says_so_before_and_after() -> None:
    with at(NOON):
        company = make_company()
    end = NOON + days(14)
    run_renewals(NOON + days(1))
    run_renewals(end - days(7) - days(0.01))
    assert mails(company) == []
    run_renewals(end - days(7))
    run_renewals(end - days(7) + days(0.5))
    run_renewals(end - days(1))
    run_renewals(end - days(0.1))
    assert mails(company) == ["ending", "ending"]
    assert primary(company).status == Status.TRIAL
    run_renewals(end)
    run_renewals(end + days(3))
    found = primary(company)
    assert (found.status, found.ends_at, found.look_at) == (Status.EXPIRED, end, None)
    assert mails(company) == ["ending", "ending", "ended"]
    assert actions(company) == ["started", "expired"]
    with unscoped(reason="test"):
        subjects = list(
            Mail.objects.filter(company_id=company.pk).order_by("created_at").values_list("subject", flat=True)
        )
        text = Mail.objects.filter(company_id=company.pk, kind="notice_subscription_ending").earliest("created_at").text
    assert subjects == ["Your trial ends on 14/04/2026"] * 2 + ["The trial of Harbour Tools has ended"]
    assert "ends in 7 days, on 14/04/2026 12:00 (UTC)" in text


def test_after_a_long_silence_the_last_reminder_alone_is_given() -> None:
    with at(NOON):
        company = make_company()
    choose(company, remindDaysBefore=[7, 5, 3, 1])
    run_renewals(NOON + days(1))
    run_renewals(NOON + days(12))
    with unscoped(reason="test"):
        assert [mail.text.count("ends in 3 days") for mail in Mail.objects.filter(company_id=company.pk)] == [1]
    run_renewals(NOON + days(13))
    assert mails(company) == ["ending", "ending"]


def test_reminders_follow_what_the_company_chooses_later() -> None:
    with at(NOON):
        company = make_company()
    choose(company, remindDaysBefore=[])
    run_renewals(NOON + days(1))
    choose(company, remindDaysBefore=[10, 2])
    run_renewals(NOON + days(2.5))
    run_renewals(NOON + days(4))
    assert mails(company) == ["ending"]
    choose(company, remindDaysBefore=[])
    run_renewals(NOON + days(13))
    assert mails(company) == ["ending"]


def test_a_moved_end_is_reminded_of_anew() -> None:
    with at(NOON):
        company = make_company()
    run_renewals(NOON + days(7))
    with at(NOON + days(8)):
        extend_subscription(company_id=company.pk, until=NOON + days(28))
    run_renewals(NOON + days(8))
    assert mails(company) == ["ending"]
    run_renewals(NOON + days(21))
    assert mails(company) == ["ending", "ending"]


def test_an_unpaid_period_is_past_due_and_then_expires() -> None:
    company = subscribed()
    end = datetime(2026, 4, 30, 12, tzinfo=UTC)
    run_renewals(end - days(0.01))
    assert primary(company).status == Status.ACTIVE
    run_renewals(end)
    assert (primary(company).status, primary(company).ends_at) == (Status.PAST_DUE, end + days(7))
    assert is_let_in(company, end + days(6.9))
    run_renewals(end + days(6.9))
    assert mails(company) == ["past_due"]
    run_renewals(end + days(7))
    assert (primary(company).status, primary(company).ends_at) == (Status.EXPIRED, end + days(7))
    assert mails(company) == ["past_due", "ended"]
    assert actions(company)[2:] == ["past_due", "expired"]


def test_the_day_before_access_ends_is_reminded_of() -> None:
    company = subscribed(remindDaysBefore=[7, 1])
    end = datetime(2026, 4, 30, 12, tzinfo=UTC)
    for moment in (end - days(7), end - days(1), end, end + days(1), end + days(6), end + days(7)):
        run_renewals(moment)
    assert mails(company) == ["ending", "ending", "past_due", "ending", "ended"]


@pytest.mark.parametrize("asleep", [0, 20])
def test_access_ends_by_the_clock_when_the_periodic_task_sleeps(asleep: float) -> None:
    company = subscribed()
    end = datetime(2026, 4, 30, 12, tzinfo=UTC)
    assert is_let_in(company, end + days(6.99))
    assert not is_let_in(company, end + days(7))
    run_renewals(end + days(7 + asleep))
    assert (primary(company).status, primary(company).ends_at) == (Status.EXPIRED, end + days(7))
    assert mails(company) == ["ended"]


def test_a_plan_that_costs_nothing_renews_itself_on_its_day() -> None:
    company = subscribed(amount="0", remindDaysBefore=[7])
    ends = []
    for moment in (
        datetime(2026, 4, 30, 12, tzinfo=UTC),
        datetime(2026, 5, 31, 12, tzinfo=UTC),
        datetime(2026, 6, 30, 12, tzinfo=UTC),
    ):
        run_renewals(moment - days(0.01))
        run_renewals(moment)
        run_renewals(moment + days(1))
        found = primary(company)
        assert (found.status, found.period_start) == (Status.ACTIVE, moment)
        ends.append(found.period_end)
    assert ends == [datetime(2026, month, day, 12, tzinfo=UTC) for month, day in ((5, 31), (6, 30), (7, 31))]
    assert mails(company) == []
    assert actions(company)[2:] == ["renewed"] * 3


def test_periods_that_were_slept_over_are_caught_up_with_in_one_step() -> None:
    company = subscribed(amount="0")
    run_renewals(datetime(2026, 9, 2, tzinfo=UTC))
    found = primary(company)
    assert (found.period_start, found.period_end) == (NOON.replace(month=8), NOON.replace(month=9, day=30))
    assert is_let_in(company, datetime(2026, 9, 2, tzinfo=UTC))
    assert actions(company)[2:] == ["renewed"]


@pytest.mark.parametrize("amount", ["0", "10"])
def test_a_company_that_does_not_want_to_renew_ends_with_its_period(amount: str) -> None:
    company = subscribed(amount=amount, autoRenew=False, remindDaysBefore=[1])
    end = datetime(2026, 4, 30, 12, tzinfo=UTC)
    run_renewals(end - days(1))
    run_renewals(end)
    assert (primary(company).status, primary(company).ends_at) == (Status.EXPIRED, end)
    assert mails(company) == ["ending", "ended"]
    with unscoped(reason="test"):
        assert Mail.objects.filter(company_id=company.pk, subject="Your subscription ends on 30/04/2026").count() == 1


def test_what_is_cancelled_at_the_end_of_its_period_ends_as_cancelled() -> None:
    company = subscribed()
    with at(NOON + days(1)):
        cancel_subscription(company_id=company.pk, at_period_end=True)
    end = datetime(2026, 4, 30, 12, tzinfo=UTC)
    assert is_let_in(company, end - days(0.01))
    assert not is_let_in(company, end)
    run_renewals(end)
    assert (primary(company).status, primary(company).ends_at) == (Status.CANCELLED, end)
    assert mails(company) == ["ended"]


def test_a_trial_that_is_cancelled_at_its_end_ends_as_cancelled() -> None:
    with at(NOON):
        company = make_company()
        cancel_subscription(company_id=company.pk, at_period_end=True)
    run_renewals(NOON + days(14))
    assert primary(company).status == Status.CANCELLED


def test_open_ends_are_left_alone() -> None:
    with at(NOON):
        company = make_company()
        activate_subscription(company_id=company.pk)
    run_renewals(NOON + days(4000))
    assert (primary(company).status, mails(company)) == (Status.ACTIVE, [])


def test_a_notice_that_is_switched_off_is_not_mailed() -> None:
    with at(NOON):
        company = make_company()
    with company_scope(company.pk):
        CompanySettings.objects.update(notification_settings={"subscription.ended": {"email": False}})
    run_renewals(NOON + days(7))
    run_renewals(NOON + days(14))
    assert mails(company) == ["ending"]
    assert primary(company).status == Status.EXPIRED


def test_trouble_with_one_subscription_keeps_no_other_from_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    with at(NOON):
        bad, good = make_company(), make_company()
    process = renewals.process

    def stumble(subscription: Subscription) -> None:
        process(subscription)
        if subscription.company_id == bad.pk:
            raise RuntimeError("the template is broken")

    monkeypatch.setattr(renewals, "process", stumble)
    run_renewals(NOON + days(14))
    assert (primary(bad).status, primary(good).status) == (Status.TRIAL, Status.EXPIRED)
    assert mails(bad) == []
    monkeypatch.setattr(renewals, "process", process)
    run_renewals(NOON + days(14.5))
    assert (primary(bad).status, mails(bad)) == (Status.EXPIRED, ["ended"])


@pytest.mark.django_db(transaction=True)
def test_ten_workers_at_once_make_each_move_once() -> None:
    with at(NOON):
        companies = [make_company() for _ in range(12)]
        for company in companies[:6]:
            grant_subscription(company_id=company.pk, plan=None, until=NOON + days(14))

    def work(_: int) -> None:
        try:
            with unscoped(reason="test: the periodic task runs for all companies"):
                for _ in range(3):
                    with transaction.atomic():
                        process_due_subscriptions()
        finally:
            connection.close()

    with at(NOON + days(14)), ThreadPoolExecutor(10) as pool:
        list(pool.map(work, range(10)))
    for company in companies[:6]:
        assert (actions(company)[-1], mails(company)) == ("past_due", ["past_due"])
    for company in companies[6:]:
        assert (actions(company), mails(company)) == (["started", "expired"], ["ended"])


# Payments


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
    run_renewals(datetime(2026, 5, 20, tzinfo=UTC))
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
