"""The billing of next periods: all subscriptions of a month due at once, shared by two worker processes."""

from __future__ import annotations

import random
import subprocess
import sys
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from time import perf_counter
from typing import Any

from django.db import connection
from django.utils import timezone

from benchmarks.data.population import Population
from benchmarks.report import Result
from benchmarks.timing import postgres_seconds
from billing.models import (
    BillingDetails,
    Dunning,
    Invoice,
    PaymentMethod,
    Plan,
    PlanPrice,
    Posting,
    Subscription,
    SubscriptionChange,
    TaxRate,
)
from billing.plans.models import Currency
from billing.renewals.writer import insert_rows
from core.ids import new_id
from core.models import Event
from core.tenancy import unscoped, use_owner_role
from core.types import JsonObject

PROJECT = Path(__file__).parent.parent
SHARE = 10
"""Of so many contacts one is a subscription: 100,000 at scale 1."""
MOST, WORKERS, LONGEST, WRITE = 60.0, 2, 1800, 5000


def renewals(population: Population) -> list[Result]:
    """Bill as many subscriptions as there are, half of them with a saved method, and all with tax."""
    number = max(100, population.total // SHARE)
    with unscoped(reason="benchmarks: subscriptions of many companies"):
        _make(number)
        _analyse()
        taken, own, postgres = _worked()
        _check(number)
    figures = (
        f"{number / taken:,.0f} a second; processor of each {1000 * own / number:.2f} ms,"
        f" and {1000 * postgres / number:.2f} ms of PostgreSQL's"
    )
    aim = MOST * number / 100_000 if number >= 10_000 else None
    return [Result(f"renewals: {number:,} billed by two workers", figures, taken, aim, unit="s")]


def _worked() -> tuple[float, float, float]:
    """Let the workers bill what is due. Returns the seconds, and those of their and PostgreSQL's processors."""
    command = [sys.executable, "-m", "benchmarks.renewal_worker"]
    pipes: JsonObject = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    workers = [subprocess.Popen(command, cwd=PROJECT, **pipes) for _ in range(WORKERS)]
    try:
        for one in workers:
            assert one.stdout is not None
            one.stdout.readline()
        postgres, begun = postgres_seconds(), perf_counter()
        for one in workers:
            assert one.stdin is not None
            one.stdin.write("go\n")
            one.stdin.flush()
        said = [one.communicate(timeout=LONGEST)[0] for one in workers]
    finally:
        for one in workers:
            one.kill()
    return perf_counter() - begun, sum(float(text) for text in said), postgres_seconds() - postgres


def _make(number: int) -> None:
    """Make the companies with what is billed of them; nothing of it is measured."""
    plan = Plan.objects.create(name="Measured")
    price = {"plan": plan, "currency": Currency.objects.get(code="USD"), "interval": "month", "seat_amount": Decimal(7)}
    PlanPrice.objects.create(**price, amount=Decimal(29))
    now = timezone.now()
    TaxRate.objects.create(name="VAT", country="DE", percent=19, valid_from=(now - timedelta(days=900)).date())
    end = now - timedelta(minutes=5)
    for start in range(0, number, WRITE):
        ids = [new_id() for _ in range(start, min(number, start + WRITE))]
        insert_rows(_company(), [{"id": id, "name": f"Company {id}"} for id in ids])
        insert_rows(BillingDetails, [{"company_id": id, "name": f"Company {id}", "country": "DE"} for id in ids])
        insert_rows(Subscription, [_subscription(id, plan.pk, end) for id in ids])
        saved = [
            {"company_id": id, "letter": "a", "adapter": "stripe", "token": "", "is_default": True} for id in ids[::2]
        ]
        insert_rows(PaymentMethod, [{**one, "token_hash": one["company_id"], "label": "Visa"} for one in saved])


def _company() -> Any:
    return Subscription._meta.get_field("company").remote_field.model


def _subscription(company: str, plan: str, end: Any) -> JsonObject:
    seats = random.choice([None, 1, 5])  # noqa: S311  no secret
    values: JsonObject = {"company_id": company, "plan_id": plan, "interval": "month", "currency": "USD"}
    values |= {"seats": seats, "starts_at": end - timedelta(days=31), "period_start": end - timedelta(days=31)}
    return values | {"period_end": end, "period_day": end.day, "ends_at": end + timedelta(days=7), "bill_at": end}


def _analyse() -> None:
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _check(number: int) -> None:
    """Hold what was written against what was due."""
    made = Invoice.objects.filter(number__isnull=False).count()
    last = Invoice.objects.order_by("-number").values_list("number", flat=True).exclude(number=None).first() or ""
    counts = [Dunning.objects.count(), SubscriptionChange.objects.filter(action="billed").count()]
    counts.append(Event.objects.filter(kind="invoice.issued").count())
    if {made, int(last[-6:]), *counts} != {number}:
        raise RuntimeError(f"{number} were due; {made} invoices up to {last}, {counts}")
    if sum(Posting.objects.filter(account="receivable").values_list("amount_minor", flat=True)) <= 0:
        raise RuntimeError("nothing was posted")
