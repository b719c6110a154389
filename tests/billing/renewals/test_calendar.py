"""A year and more by the clock: whenever the work is done, the same periods are billed."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import Company
from billing.models import Invoice, Subscription
from billing.renewals.services import bill_batch
from billing.subscriptions.periods import period_after
from core.tenancy import company_scope
from tests.billing.checkout.helpers import books_hold
from tests.billing.renewals.helpers import FakeGateway, charged, invoices, periods
from tests.billing.subscriptions.helpers import NOON, at, days, primary, run_renewals

pytestmark = pytest.mark.django_db
DAYS = 400


def anchor(company: Company, start: datetime, day: int) -> None:
    """Let the paid period of the company end at a moment, on a day of the month."""
    with company_scope(company.pk):
        Subscription.objects.update(
            period_start=start - timedelta(days=31),
            period_end=start,
            period_day=day,
            bill_at=start,
            ends_at=start + days(7),
        )


def test_chores_that_are_missed_at_random_give_the_same_invoices(gateway: FakeGateway) -> None:
    """Four subscriptions with the same course live 400 days: by the hour of their end, and with days slept over."""
    starts = [(datetime(2027, 1, 31, 23, 30, tzinfo=UTC), 31), (datetime(2028, 2, 29, 1, 15, tzinfo=UTC), 29)]
    for start, day in starts:
        expected = [start]
        while expected[-1] <= start + days(DAYS):
            expected.append(period_after(expected[-1], "month", day))
        for seed in (0, 1):
            company, chance = charged(), random.Random(seed)
            anchor(company, start, day)
            moments = expected[:-1] if seed == 0 else [start]
            while seed and moments[-1] < start + days(DAYS):
                moments.append(moments[-1] + days(chance.choice([2, 9, 40])))
            for moment in moments:
                run_renewals(min(moment, start + days(DAYS)))
            assert periods(company) == [
                (one, other, "paid") for one, other in zip(expected[:-1], expected[1:], strict=True)
            ]
            assert primary(company).period_end == expected[-1]
            assert {one.total_minor for one in invoices(company)} == {1000}
    books_hold()


def test_the_statement_bills_what_the_calendar_says() -> None:
    """Random anchors, billed in one batch: each invoice is for the period that period_after gives."""
    chance = random.Random(7)
    companies, expected = [charged(interval=chance.choice(["month", "year"])) for _ in range(12)], {}
    for company in companies:
        month, day = chance.randint(1, 12), chance.randint(1, 31)
        last = period_after(datetime(2026, month, 1, tzinfo=UTC), "month", day)
        end = last.replace(hour=chance.randrange(24), minute=chance.randrange(60))
        anchor(company, end, day)
        expected[company.pk] = (end, period_after(end, primary(company).interval, day))
    with at(NOON + days(500)):
        assert bill_batch() == 12
    for company in companies:
        with company_scope(company.pk):
            [invoice] = Invoice.objects.all()
        assert (invoice.period_start, invoice.period_end) == expected[company.pk]
