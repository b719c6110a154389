"""Renewals while workers are killed at any moment: each period is billed once, and numbers have no gap.

RENEWAL_CHAOS is the number of subscriptions.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Company
from billing.models import Dunning, Invoice, Payment, Subscription, SubscriptionChange
from core.models import Event
from core.tenancy import unscoped
from tests.billing.checkout.helpers import books_hold
from tests.billing.subscriptions.helpers import plan_of
from tests.kit.examples import in_make_check
from tests.kit.processes import Forked, kill
from tests.kit.stops import hang_one

BILL = """
import sys, django
django.setup()
from billing.renewals.services import bill_batch
print("ready", flush=True)
while bill_batch(int(sys.argv[1])):
    pass
"""


@in_make_check
@pytest.mark.parametrize(
    ("number", "batch", "kills"),
    [
        pytest.param(120, 4, 3, marks=pytest.mark.long),
        pytest.param(int(os.environ.get("RENEWAL_CHAOS", "20000")), 200, 20, marks=pytest.mark.slow),
    ],
)
@pytest.mark.django_db(transaction=True)
def test_killed_workers_bill_each_period_once(number: int, batch: int, kills: int) -> None:
    plan, now = plan_of("Club", amount="10"), timezone.now()
    values: dict[str, Any] = {"plan": plan, "interval": "month", "currency": "USD", "starts_at": now, "period_day": 1}
    values |= {"period_start": now - timedelta(days=31), "period_end": now, "ends_at": now, "bill_at": now}
    with unscoped(reason="test: renewals of many companies"):
        companies = Company.objects.bulk_create([Company(name=f"Buyer {n}") for n in range(number)])
        Subscription.objects.bulk_create([Subscription(company=one, **values) for one in companies])
        workers, killed = [Forked(BILL, str(batch)) for _ in range(2)], 0
        try:
            while Subscription.objects.filter(bill_at__lte=timezone.now()).exists():
                for place, worker in enumerate(workers):
                    if worker.poll() is not None:
                        workers[place] = Forked(BILL, str(batch))
                victim = random.randrange(2)
                workers[victim].stdout.readline()  # it works by now
                if killed < kills:
                    time.sleep(random.uniform(0, 0.3))
                    hang_one([worker.pid for worker in workers])
                    kill(workers[victim])
                    workers[victim], killed = Forked(BILL, str(batch)), killed + 1
        finally:
            for worker in workers:
                kill(worker)
        numbers = sorted(one or "" for one in Invoice.objects.values_list("number", flat=True))
        assert [int(one[-6:]) for one in numbers] == list(range(1, number + 1))
        for rows in (Payment.objects, Dunning.objects, SubscriptionChange.objects.filter(action="billed")):
            assert set(Counter(rows.values_list("company_id", flat=True)).values()) == {1}
            assert rows.count() == number
        assert Event.objects.filter(kind="invoice.issued").count() == number
        assert killed
    if number <= 200:
        books_hold()
