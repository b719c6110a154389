"""Meters count exactly: at once, again, after a failure, after a kill, and over a change of the plan."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from billing.charges.services import bill_pending, line_of, mark_billed, owed_by, pending_charges, write_off_ended
from billing.meters.services import charge_ended, look_up_outcomes
from billing.models import Charge, Currency, Invoice, MeterPeriod, MeterPrice, Plan, Subscription, UsageEvent
from billing.subscriptions.services import grant_subscription, override_subscription
from core.access import meters
from core.access.meters import METERS, Meter, MeterUsedUp, Outcome, release, reserve, reserve_or_raise, settle
from core.tenancy import unscoped
from tests.kit.cast import Cast, make_cast
from tests.kit.threads import at_once

METER = "messages"


def metered(cast: Cast, limit: int = 10, price: str | None = None, **values: Any) -> Plan:
    """Let the company pay for a plan that includes so many messages a month."""
    plan = Plan.objects.create(name=f"Metered {limit} {price}", limits={METER: limit})
    if price:
        usd = Currency.objects.get(code="USD")
        MeterPrice.objects.create(plan=plan, meter=METER, currency=usd, amount=Decimal(price))
    grant_subscription(company_id=cast.company.pk, plan=plan, **{"interval": "month", "currency": "USD", **values})
    return plan


def counts() -> tuple[int, int, int]:
    row = MeterPeriod.objects.order_by("-starts_at").first()
    return (row.included, row.used, row.reserved) if row else (0, 0, 0)


def numbered(first: int, number: int) -> list[str]:
    return [f"m{place}" for place in range(first, first + number)]


@pytest.mark.django_db(transaction=True)
def test_fifty_at_once_take_no_more_than_there_is() -> None:
    cast = make_cast()
    metered(cast, 100)

    def reserve_twelve(n: int) -> int:
        taken = 0
        for turn in range(4):
            with transaction.atomic():
                found = reserve(METER, [f"{n}-{turn}-{part}" for part in range(3)])
                assert found is not None
                taken += len(found.sources)
        return taken

    assert sum(at_once(50, cast.company.pk, reserve_twelve)) == 100
    with cast.scope():
        assert counts() == (100, 0, 100)
        assert UsageEvent.objects.count() == 100


def test_a_source_counts_once_and_order_decides(scope: Cast) -> None:
    metered(scope, 3)
    first = reserve(METER, numbered(0, 2))
    again = reserve(METER, numbered(0, 5))
    assert first is not None
    assert again is not None
    assert (set(first.sources), set(again.sources)) == ({"m0", "m1"}, {"m0", "m1", "m2"})
    settle(METER, ["m0"])
    settle(METER, ["m0"])
    release(METER, ["m0", "m1"])  # what is settled stays
    assert counts() == (3, 1, 1)
    found = reserve(METER, ["m0"])
    assert found is not None
    assert set(found.sources) == {"m0"}
    assert counts() == (3, 1, 1)


def test_one_statement_takes_for_a_batch(scope: Cast) -> None:
    metered(scope, 1000)
    reserve(METER, ["first"])
    with CaptureQueriesContext(connection) as queries:
        reserve(METER, numbered(0, 200), allowed=meters.entitlement_source().of(scope.company.pk))
    assert len(queries) == 3  # the entitlement, the subscription, and the batch


def test_without_a_limit_nothing_is_counted(scope: Cast) -> None:
    grant_subscription(company_id=scope.company.pk, plan=None)
    assert reserve(METER, ["m"]) is None
    assert reserve_or_raise(METER, 1, "m") is False
    assert not MeterPeriod.objects.exists()


def test_what_fails_is_given_back_and_the_end_says_until_when(scope: Cast) -> None:
    metered(scope, 2)
    assert reserve_or_raise(METER, 2, "call")
    with pytest.raises(MeterUsedUp) as refused:
        reserve_or_raise(METER, 1, "other")
    assert refused.value.until == Subscription.objects.get(is_primary=True).period_end
    release(METER, ["call"])
    release(METER, ["call"])
    assert counts() == (2, 0, 0)
    assert reserve_or_raise(METER, 1, "other")


def test_a_transaction_that_fails_takes_nothing(scope: Cast) -> None:
    metered(scope, 2)
    reserve(METER, ["kept"])
    with suppress(ZeroDivisionError), transaction.atomic():
        reserve(METER, ["lost"])
        raise ZeroDivisionError
    assert counts() == (2, 0, 1)


def test_a_kill_between_reserve_and_settle_loses_nothing(scope: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases end: what had gone counts, what is under way waits, and the rest comes back."""
    metered(scope, 5)
    outcome = Outcome(used=["m0"], under_way=["m1"])
    monkeypatch.setitem(METERS, METER, Meter(METER, lambda sources: outcome))
    reserve(METER, numbered(0, 4))

    def refresh() -> None:
        with unscoped(reason="test"):
            assert look_up_outcomes() is False

    refresh()
    assert counts() == (5, 0, 4)
    with time_machine.travel(timezone.now() + timedelta(minutes=16)):
        refresh()
        assert counts() == (5, 1, 1)
        settle(METER, ["m2"])  # its worker was slow, not dead
        assert counts() == (5, 2, 1)
        refresh()
        assert counts() == (5, 2, 1)


def test_a_new_month_begins_with_all(scope: Cast) -> None:
    metered(scope, 3)
    reserve(METER, numbered(0, 3))
    end = Subscription.objects.get(is_primary=True).period_end
    assert end is not None
    with time_machine.travel(end + timedelta(days=1)):  # in grace, its limits stay
        found = reserve(METER, ["m0", "next"])
        assert found is not None
        assert set(found.sources) == {"m0", "next"}
        assert counts() == (3, 0, 1)


def test_what_grows_within_a_month_grows_by_its_share(scope: Cast) -> None:
    """Nobody upgrades on the last day and takes the whole month's units."""
    metered(scope, 100)
    reserve(METER, ["m"])
    row = MeterPeriod.objects.get()
    with time_machine.travel(row.ends_at - (row.ends_at - row.starts_at) / 4, tick=False):
        override_subscription(company_id=scope.company.pk, modules=None, limits={METER: 500})
        reserve(METER, ["n"])
        assert counts()[0] == 200
        override_subscription(company_id=scope.company.pk, modules=None, limits={METER: 40})
        reserve(METER, ["o"])
        assert counts()[0] == 40


def test_a_plan_that_begins_within_a_month_takes_off_what_was_paid_back(scope: Cast) -> None:
    metered(scope, 100)
    reserve(METER, numbered(0, 80))
    row = MeterPeriod.objects.get()
    with time_machine.travel(row.starts_at + (row.ends_at - row.starts_at) / 2, tick=False):
        metered(scope, 200)
        reserve(METER, ["next"])
        assert MeterPeriod.objects.count() == 2
        assert counts() == (170, 0, 1)  # 80 used, of which 50 were paid for


# Beyond what is included


def test_overage_is_charged_once_when_the_month_has_ended(scope: Cast) -> None:
    metered(scope, 3, "0.0155")
    found = reserve(METER, numbered(0, 10))
    assert found is not None
    assert len(found.sources) == 10
    settle(METER, numbered(0, 9))
    assert charge_ended() is False
    assert not Charge.objects.exists()
    row = MeterPeriod.objects.get()
    with time_machine.travel(row.ends_at + timedelta(hours=1)):
        for _ in range(2):
            with unscoped(reason="test: the periodic task runs for all companies"):
                charge_ended()
        charge = Charge.objects.get()
        assert (charge.kind, charge.quantity, charge.amount_minor, charge.currency) == ("metered", 6, 9, "USD")
        assert "6 at $0.0155" in charge.description
        settle(METER, ["m9"])  # settled late: it is charged by itself
        charge_ended()
        assert sorted(Charge.objects.values_list("quantity", flat=True)) == [1, 6]


def test_an_owner_caps_what_goes_beyond(scope: Cast) -> None:
    metered(scope, 3, "0.5")
    path = f"/subscription/{Subscription.objects.get(is_primary=True).pk}"
    capped = scope.session.put(path, {"overage": [{"meter": METER, "most": 2}]})
    assert (capped.status, capped.data["overage"]) == (200, [{"meter": METER, "most": 2}])
    for most, taken in ((2, 5), (0, 0), (1, 0), (3, 1), (None, 10)):
        assert scope.session.put(path, {"overage": [{"meter": METER, "most": most}]}).status == 200
        found = reserve(METER, [f"{most}-{place}" for place in range(10)])
        assert found is not None
        assert len(found.sources) == taken, most
    twice = [{"meter": METER, "most": 1}, {"meter": METER, "most": 2}]
    for body in ([{"meter": "nothing", "most": 1}], [{"meter": METER, "most": -1}], [{"meter": METER}], twice):
        refused = scope.session.put(path, {"overage": body})
        assert (refused.status, "overage" in refused.body["warning"]) == (400, True)


def test_what_an_ended_subscription_owes_is_given_up_after_long(scope: Cast) -> None:
    metered(scope, 1)
    subscription, now = Subscription.objects.get(is_primary=True), timezone.now()
    made = {"subscription": subscription, "description": "Use", "amount_minor": 5, "currency": "USD"}
    Charge.objects.create(source="x", **made)
    for days, status, is_given_up in ((91, "active", False), (89, "expired", False), (91, "expired", True)):
        Subscription.objects.update(status=status, ends_at=now - timedelta(days=days))
        with unscoped(reason="test: the periodic task runs for all companies"):
            write_off_ended()
        assert (Charge.objects.get().given_up_at is not None) is is_given_up
        assert pending_charges([subscription.pk]).exists() is not is_given_up
        assert owed_by(subscription.pk).exists() is not is_given_up


def test_pending_charges_are_billed_once_for_many_subscriptions(scope: Cast) -> None:
    metered(scope, 1, "0.5")
    reserve(METER, numbered(0, 4))
    settle(METER, numbered(0, 4))
    subscription = Subscription.objects.get(is_primary=True)
    values = {"currency": "USD", "decimals": 2, "subtotal_minor": 150, "total_minor": 150}
    invoice = Invoice.objects.create(subscription=subscription, **values)
    with time_machine.travel(MeterPeriod.objects.get().ends_at + timedelta(hours=1)), transaction.atomic():
        [charge] = bill_pending([subscription.pk])[subscription.pk]
        assert (line_of(charge).amount, line_of(charge).quantity) == (150, 1)
        mark_billed({charge.pk: invoice.pk})
        assert bill_pending([subscription.pk]) == {}
    assert Charge.objects.get().invoice_id == invoice.pk
    assert not pending_charges([subscription.pk]).exists()


def test_a_trial_sells_nothing_beyond(scope: Cast) -> None:
    metered(scope, 1, "0.5", interval="")
    found = reserve(METER, numbered(0, 2))
    assert found is not None
    assert Counter(found.sources) == {"m0": 1}


def test_another_company_has_its_own(scope: Cast, outsiders: Cast) -> None:
    metered(scope, 1)
    reserve(METER, ["m"])
    with outsiders.scope():
        grant_subscription(company_id=outsiders.company.pk, plan=Plan.objects.get(limits={METER: 1}))
        found = reserve(METER, ["m"])
        assert found is not None
        assert set(found.sources) == {"m"}
