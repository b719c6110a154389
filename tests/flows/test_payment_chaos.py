"""Charges over five gateways while workers are killed, PostgreSQL crashes, answers get lost and keys expire: each is
paid once, and the books say what the gateways say.

PAYMENT_CHAOS is the number of payments and PAYMENT_CHAOS_CRASHES that of crashes; `make chaos` takes 2,000 and 5.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from threading import Event, Thread
from typing import Any, TypeVar

import pytest
from django.db import DatabaseError, InterfaceError, connection
from django.db.models import Sum
from django.utils import timezone

from accounts.models import Company
from billing.gateways.base import AmbiguousOutcome, GatewayRefused, Misconfigured
from billing.gateways.registry import ADAPTERS
from billing.ledger.money import to_minor
from billing.models import Attempt, Invoice, Payment, PaymentMethod, Plan, Posting, Subscription
from billing.payments.processor import refresh_attempt
from config.local.gateway_standin.server import Server, run_server
from core.tenancy import company_scope, unscoped
from tests.billing.checkout.helpers import open_gateways
from tests.billing.subscriptions.helpers import plan_of
from tests.kit.examples import in_make_check
from tests.kit.gateways import CURRENCIES, LETTERS, TOKENS
from tests.kit.processes import Pool
from tests.kit.stops import hang_one, hang_postgresql

FAULTS = {"lost_before": 0.03, "lost_after": 0.06, "error": 0.03}


def make_charges(number: int, plan: Plan, server: Server) -> None:
    """Make so many companies, each with an order that is to be charged to a saved method."""
    now = timezone.now()
    companies = Company.objects.bulk_create([Company(name=f"Buyer {n}") for n in range(number)])
    subscriptions = [Subscription(company=one, starts_at=now, status="expired", ends_at=now) for one in companies]
    Subscription.objects.bulk_create(subscriptions)
    methods, invoices, payments, attempts = [], [], [], []
    for n, subscription in enumerate(subscriptions):
        letter = "abcde"[n % 5]
        adapter, amount, shared = LETTERS[letter], 1000 + n, {"company_id": subscription.company_id}
        customer = server.state.new("cst_", kind="customer")["id"] if adapter == "mollie" else "cus_1"
        values = {"adapter": adapter, "letter": letter}
        method = PaymentMethod(**shared, **values, token=TOKENS[adapter], token_hash="x", label="x", customer=customer)  # noqa: S106
        currency = CURRENCIES[adapter]
        invoice = Invoice(
            **shared,
            subscription=subscription,
            currency=currency,
            decimals=2,
            subtotal_minor=amount,
            total_minor=amount,
        )
        payment = Payment(
            **shared,
            number=f"N{n}",
            subscription=subscription,
            invoice=invoice,
            amount_minor=amount,
            currency=currency,
            plan=plan,
            interval="month",
            expires_at=now + timedelta(days=1),
        )
        methods.append(method)
        invoices.append(invoice)
        payments.append(payment)
        attempts.append(Attempt(**shared, **values, payment=payment, kind="charge", method=method))
    for rows in (methods, invoices, payments, attempts):
        type(rows[0]).objects.bulk_create(rows)


@pytest.mark.parametrize(
    ("number", "crashes"),
    [
        pytest.param(int(os.environ.get("PAYMENT_CHAOS_SHORT", "40")), 0, marks=[pytest.mark.long, in_make_check]),
        pytest.param(
            int(os.environ.get("PAYMENT_CHAOS", "2000")),
            int(os.environ.get("PAYMENT_CHAOS_CRASHES", "5")),
            marks=pytest.mark.slow,
        ),
    ],
)
@pytest.mark.django_db(transaction=True)
def test_chaos_pays_each_order_once(number: int, crashes: int, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTBOUND_PRIVATE_HOSTS", "127.0.0.0/8")
    monkeypatch.setenv("PAYMENT_BACKOFF", "0.1")
    with run_server() as server, unscoped(reason="test: payments of many companies"):
        open_gateways(server, settings)
        make_charges(number, plan_of("Club", amount="10"), server)
        server.state.faults.update(FAULTS)
        kills, crashed = be_rough(server, number, crashes)
        assert kills
        assert crashed == crashes
        check_money(server, number)
    if number <= 200:
        check_books()
    print(f"{number} payments, {kills} kills, {crashed} crashes, {len(server.state.effects)} effects")


def be_rough(server: Server, number: int, crashes: int) -> tuple[int, int]:
    """Kill workers, crash PostgreSQL and let keys expire until every payment has ended. Returns what was done."""
    seconds = 240 + number
    crashed, end = 0, time.monotonic() + seconds
    with killing(4 if number > 200 else 2, seconds) as kills:
        while left := patiently(waiting):
            assert time.monotonic() < end, patiently(states)
            time.sleep(random.uniform(1.0, 2.0))
            if crashed < crashes and left <= number - (crashed + 1) * number // (crashes + 1):
                patiently(hang_postgresql)
                patiently(crash_postgresql)
                crashed += 1
            server.state.answered.clear()  # every key has expired
            patiently(look_at_some)
    return len(kills), crashed


@contextmanager
def killing(number: int, seconds: float, *, pause: float = 2) -> Iterator[list[float]]:
    """Keep so many workers, and kill one of them at every `pause` by the clock. Yields the times of the kills."""
    adapters = [f"billing.gateways.adapters.{name}" for name in ADAPTERS]
    pool, over, kills = Pool("payments", number, seconds, *adapters), Event(), []

    def kill_on_time() -> None:
        due = time.monotonic() + pause
        while not over.wait(max(0, due - time.monotonic())):
            due += pause
            hang_one(pool.pids)
            if pool.kill_one():
                kills.append(time.monotonic())
            pool.fill()

    killer = Thread(target=kill_on_time)
    killer.start()
    try:
        yield kills
    finally:
        over.set()
        killer.join()
        pool.close()


def waiting() -> int:
    return Attempt.objects.filter(status__in=("due", "working")).count()


def states() -> Counter[Any]:
    return Counter(Attempt.objects.values_list("status", "error"))


def crash_postgresql() -> None:
    """Kill a server process by SIGKILL: PostgreSQL ends all others at once, and recovers from its log."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (own,) = cursor.fetchone()
    os.kill(own, signal.SIGKILL)
    connection.close()


Found = TypeVar("Found")


def patiently(ask: Callable[[], Found]) -> Found:
    """Ask the database until it is there again."""
    end = time.monotonic() + 60
    while True:
        try:
            return ask()
        except (DatabaseError, InterfaceError):
            assert time.monotonic() < end
            connection.close()
            time.sleep(0.1)


def check_money(server: Server, number: int) -> None:
    """Every order is paid once, and the books have what the gateways took."""
    paid = Counter(one["order"] for one in server.state.effects)
    attempts = list(Attempt.objects.values_list("pk", "status"))
    assert set(Counter(status for _, status in attempts)) == {"paid"}
    assert paid == Counter(pk for pk, _ in attempts)
    assert Subscription.objects.filter(status="active", plan__name="Club").count() == number
    for adapter, currency in CURRENCIES.items():
        letter = next(one for one, name in LETTERS.items() if name == adapter)
        booked = Posting.objects.filter(account=f"cash:{letter}").aggregate(sum=Sum("amount_minor"))["sum"]
        moved = [one for one in server.state.effects if one["gateway"] == adapter]
        assert booked == sum(minor(one["amount"], currency) for one in moved)


def look_at_some() -> None:
    """Look at four attempts as repeated webhooks make us look."""
    ids = list(Attempt.objects.values_list("pk", flat=True))
    for attempt in Attempt.objects.select_related("payment__invoice", "method").filter(pk__in=random.sample(ids, 4)):
        with company_scope(attempt.company_id):
            look_twice(attempt)


def look_twice(attempt: Attempt) -> None:
    """Look as repeated webhooks make us look."""
    for _ in range(2):
        try:
            refresh_attempt(attempt)
        except (AmbiguousOutcome, GatewayRefused, Misconfigured):
            return


def minor(amount: Any, currency: str) -> int:
    return amount if isinstance(amount, int) else to_minor(Decimal(amount), currency)


def check_books() -> None:
    with unscoped(reason="test: gapless numbers"):
        numbers = sorted(Invoice.objects.filter(number__isnull=False).values_list("number", flat=True))
    assert [int(one[-6:]) for one in numbers] == list(range(1, len(numbers) + 1))
