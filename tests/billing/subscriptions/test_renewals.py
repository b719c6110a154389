"""What time does to subscriptions, looked at as the periodic task does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from django.db import connection, transaction

from accounts.models import Company, CompanySettings, Mail
from billing.entitlements.selectors import entitlement_of
from billing.models import Subscription
from billing.subscriptions import renewals
from billing.subscriptions.renewals import process_due_subscriptions
from billing.subscriptions.services import (
    activate_subscription,
    cancel_subscription,
    extend_subscription,
    grant_subscription,
)
from core.jobs import WORK
from core.tenancy import company_scope, unscoped
from tests.billing.subscriptions.helpers import (
    NOON,
    actions,
    at,
    choose,
    days,
    mails,
    make_company,
    primary,
    run_renewals,
    subscribed,
)

pytestmark = pytest.mark.django_db
Status = Subscription.Status


def is_let_in(company: Company, moment: datetime) -> bool:
    with at(moment), company_scope(company.pk):
        return entitlement_of(company.pk) is not None


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
    assert subjects == ["Your trial ends on 14 Apr 2026"] * 2 + ["The trial of Harbour Tools has ended"]
    assert "ends in 7 days, on 14 Apr 2026, 12:00 (UTC)" in text


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
    assert mails(company) == ["notice_invoice_due"]
    run_renewals(end + days(7))
    assert (primary(company).status, primary(company).ends_at) == (Status.EXPIRED, end + days(7))
    assert mails(company) == ["notice_invoice_due", "ended"]
    assert actions(company)[2:] == ["billed", "past_due", "expired"]


def test_the_day_before_access_ends_is_reminded_of() -> None:
    company = subscribed(remindDaysBefore=[7, 1])
    end = datetime(2026, 4, 30, 12, tzinfo=UTC)
    for moment in (end - days(7), end - days(1), end, end + days(1), end + days(6), end + days(7)):
        run_renewals(moment)
    assert mails(company) == ["ending", "ending", "notice_invoice_due", "ending", "ended"]


def test_who_was_not_billed_while_the_service_slept_has_the_time_to_pay() -> None:
    company = subscribed()
    end = datetime(2026, 4, 30, 12, tzinfo=UTC)
    run_renewals(end + days(20))
    assert (primary(company).status, primary(company).ends_at) == (Status.PAST_DUE, end + days(27))
    run_renewals(end + days(27))
    assert (primary(company).status, mails(company)) == (Status.EXPIRED, ["notice_invoice_due", "ended"])


@pytest.mark.parametrize("asleep", [0, 20])
def test_access_ends_by_the_clock_when_the_periodic_task_sleeps(asleep: float) -> None:
    company = subscribed()
    run_renewals(datetime(2026, 4, 30, 12, tzinfo=UTC))
    end = datetime(2026, 4, 30, 12, tzinfo=UTC)
    assert is_let_in(company, end + days(6.99))
    assert not is_let_in(company, end + days(7))
    run_renewals(end + days(7 + asleep))
    assert (primary(company).status, primary(company).ends_at) == (Status.EXPIRED, end + days(7))
    assert mails(company) == ["notice_invoice_due", "ended"]


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
        assert Mail.objects.filter(company_id=company.pk, subject="Your subscription ends on 30 Apr 2026").count() == 1


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
