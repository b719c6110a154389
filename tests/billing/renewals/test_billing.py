"""What is billed when a paid period is over."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import Company, CompanySettings
from billing.ledger.services import BALANCE, BANK, balance_of, post_transaction
from billing.models import BillingDetails, Invoice, Payment, Posting, Seller, TaxRate
from billing.payments.orders import approve_transfer, cancel_expired, pay_by_bank
from billing.payments.settlement import apply_payment
from billing.renewals import services
from billing.renewals.services import bill_batch
from billing.subscriptions.changes import lock_primary
from billing.subscriptions.periods import period_after
from billing.subscriptions.services import (
    cancel_subscription,
    change_subscription,
    extend_subscription,
    grant_subscription,
)
from core.events.models import Event
from core.tenancy import company_scope, unscoped
from tests.billing.checkout.helpers import books_hold
from tests.billing.renewals.helpers import FakeGateway, charged, dunning, invoices, periods, renewal
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
    subscribed,
)
from tests.kit.factories import UserFactory
from tests.kit.threads import at_once

pytestmark = pytest.mark.django_db
END = datetime(2026, 4, 30, 12, tzinfo=UTC)


def pay(company: Company) -> None:
    """Pay the company's open renewal as a bank transfer would."""
    with company_scope(company.pk), lock_primary(company.pk):
        payment = Payment.objects.get(status="open")
        apply_payment(payment, account=BANK, by="bank", tx=f"pay:{payment.pk}")


def test_a_saved_method_is_charged_and_the_period_goes_on(gateway: FakeGateway) -> None:
    company = charged()
    with company_scope(company.pk):
        BillingDetails.objects.create(name="Harbour Tools", country="DE")
        TaxRate.objects.create(name="VAT", country="DE", percent=19, valid_from=NOON.date())
    run_renewals(END - days(0.01))
    assert invoices(company) == []
    run_renewals(END)
    [invoice] = invoices(company)
    found = primary(company)
    assert (found.status, found.period_start, found.period_end) == (
        "active",
        END,
        datetime(2026, 5, 31, 12, tzinfo=UTC),
    )
    assert found.ends_at == found.period_end + days(7)
    assert (invoice.status, invoice.number, invoice.total_minor, invoice.tax_minor) == (
        "paid",
        "INV-2026-000001",
        1190,
        190,
    )
    assert (invoice.period_start, invoice.period_end) == (found.period_start, found.period_end)
    assert [order.amount for order in gateway.paid.values()] == [1190]
    assert (actions(company)[2:], mails(company)) == (["billed", "renewed"], ["notice_payment_received"])
    with company_scope(company.pk):
        told = Event.objects.filter(kind__in=("invoice.issued", "payment.paid"))
        assert set(told.values_list("kind", "company_id")) == {
            ("invoice.issued", company.pk),
            ("payment.paid", company.pk),
        }
        booked = Posting.objects.filter(about=invoice.pk).values_list("account", "amount_minor")
        assert sorted(booked) == [
            ("cash:a", 1190),
            ("receivable", -1190),
            ("receivable", 1190),
            ("revenue", -1000),
            ("tax:19", -190),
        ]
    books_hold()


def test_without_a_method_the_invoice_is_asked_for_and_the_period_begins_when_it_is_paid() -> None:
    company = subscribed()
    run_renewals(END)
    run_renewals(END + days(1))
    found = primary(company)
    assert (found.status, found.period_end, found.ends_at) == ("past_due", END, END + days(7))
    assert (mails(company), periods(company)) == (
        ["notice_invoice_due"],
        [(END, datetime(2026, 5, 31, 12, tzinfo=UTC), "issued")],
    )
    with at(END + days(3)):
        pay(company)
    found = primary(company)
    assert (found.status, found.period_start, found.period_end) == (
        "active",
        END,
        datetime(2026, 5, 31, 12, tzinfo=UTC),
    )
    run_renewals(END + days(4))
    assert (dunning(company).status, len(invoices(company))) == ("done", 1)
    books_hold()


def test_an_invoice_that_is_paid_after_the_end_opens_the_period_that_it_names() -> None:
    company = subscribed()
    run_renewals(END)
    run_renewals(END + days(7))
    assert primary(company).status == "expired"
    with at(END + days(9)):
        pay(company)
    assert (primary(company).status, primary(company).period_start) == ("active", END)


def test_nobody_pays_it_the_order_is_left_and_a_credit_note_takes_the_invoice_back() -> None:
    company = subscribed()
    for day in (0, 7, 22):
        run_renewals(END + days(day))
    with at(END + days(22)), unscoped(reason="test"):
        cancel_expired()
    assert [one.status for one in invoices(company)] == ["credited"]
    with company_scope(company.pk):
        assert sum(Posting.objects.filter(account="receivable").values_list("amount_minor", flat=True)) == 0
    books_hold()


def test_what_was_scheduled_is_billed_and_the_balance_is_used_first(gateway: FakeGateway) -> None:
    company = charged()
    with at(NOON + days(1)), company_scope(company.pk):
        found = primary(company)
        plan = found.plan
        assert plan is not None
        plan.prices.update(seat_amount=Decimal(2))
        change_subscription(company_id=company.pk, seats=5)
        with lock_primary(company.pk) as locked:
            assert locked is not None
            locked.scheduled = {"seats": 3}
            locked.save()
        post_transaction("pay:gift", "USD", [(BANK, 900), (BALANCE, -900)])
    run_renewals(END)
    [invoice] = invoices(company)
    assert (invoice.total_minor, [order.amount for order in gateway.paid.values()]) == (1400, [500])
    assert (primary(company).seats, primary(company).scheduled) == (3, None)
    with company_scope(company.pk):
        assert balance_of("USD") == 0
    books_hold()


def test_a_balance_that_covers_it_all_pays_without_a_charge(gateway: FakeGateway) -> None:
    company = charged()
    with company_scope(company.pk):
        post_transaction("pay:gift", "USD", [(BANK, 1500), (BALANCE, -1500)])
    run_renewals(END)
    assert (primary(company).status, primary(company).period_start, gateway.paid) == ("active", END, {})
    with company_scope(company.pk):
        assert balance_of("USD") == 500


def test_one_that_cannot_be_billed_keeps_no_other_unbilled(
    gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = charged(), charged()
    broken = primary(bad).pk
    bill = services.compute_lines

    def stumble(batch: Sequence[Any], facts: Any) -> None:
        if any(due.id == broken for due in batch):
            raise RuntimeError("broken")
        bill(batch, facts)

    monkeypatch.setattr(services, "compute_lines", stumble)
    run_renewals(END)
    monkeypatch.setattr(services, "compute_lines", bill)
    assert (primary(good).period_start, primary(bad).period_start, invoices(bad)) == (END, NOON, [])
    run_renewals(END + days(0.1))
    assert (primary(bad).period_start, len(invoices(bad))) == (END, 1)


def test_a_plan_without_a_price_is_not_looked_at_again_and_again_after_a_stand_still() -> None:
    company = subscribed()
    with company_scope(company.pk):
        found = primary(company)
        assert found.plan is not None
        found.plan.prices.all().delete()
    with at(END + days(40)):
        assert [bill_batch(), bill_batch()] == [1, 0]
    run_renewals(END + days(40))
    assert (primary(company).status, invoices(company)) == ("expired", [])


def test_companies_that_end_are_not_billed(gateway: FakeGateway) -> None:
    declines, cancels = charged(autoRenew=False), charged()
    with at(NOON + days(1)):
        cancel_subscription(company_id=cancels.pk, at_period_end=True)
    run_renewals(END)
    assert [primary(one).status for one in (declines, cancels)] == ["expired", "cancelled"]
    assert (invoices(declines), invoices(cancels), gateway.paid) == ([], [], {})


def test_an_order_that_nobody_pays_makes_room_and_a_transfer_is_waited_for(gateway: FakeGateway) -> None:
    left, waits = charged(), charged()
    for company in (left, waits):
        with at(END - days(0.1)), company_scope(company.pk):
            draft(company)
    with at(END - days(0.1)), company_scope(waits.pk):
        Payment.objects.update(bank_state="submitted")
    run_renewals(END)
    with unscoped(reason="test"):
        states = {one.company_id: one.status for one in Payment.objects.filter(renews__isnull=True)}
    assert states == {left.pk: "cancelled", waits.pk: "open"}
    assert (primary(left).period_start, primary(waits).period_start, invoices(waits)) == (END, NOON, [])
    with company_scope(waits.pk):
        Payment.objects.update(status="cancelled", bank_state="expired")
    run_renewals(END + days(0.1))
    assert primary(waits).period_start == END


def draft(company: Company) -> None:
    found = primary(company)
    values: dict[str, Any] = {"subscription": found, "currency": "USD"}
    invoice = Invoice.objects.create(**values, decimals=2, subtotal_minor=100, total_minor=100)
    Payment.objects.create(
        **values, invoice=invoice, number="X", amount_minor=100, plan=found.plan, expires_at=timezone.now() + days(1)
    )


def test_money_for_a_renewal_that_staff_have_made_needless_becomes_balance() -> None:
    company = subscribed()
    run_renewals(END)
    payment = renewal(company)
    with at(END + days(1)), company_scope(company.pk):
        Seller.objects.create(name="Leadwright Ltd", bank_instructions="IBAN X")
        pay_by_bank(payment_id=payment.pk, values={"reference": "sent"})
        extend_subscription(company_id=company.pk, until=END + days(60))
        approve_transfer(payment=payment, amount_minor=1000, received_on=END.date(), by=UserFactory())
        assert balance_of("USD") == 1000
    assert (primary(company).period_end, [one.status for one in invoices(company)]) == (END + days(60), ["credited"])
    books_hold()


def test_a_batch_bills_the_periods_that_the_calendar_says(gateway: FakeGateway) -> None:
    companies = [charged(interval=interval) for interval in ("month", "year")]
    run_renewals(datetime(2027, 4, 1, tzinfo=UTC))
    for company in companies:
        found = primary(company)
        expected = [NOON]
        while expected[-1] <= datetime(2027, 4, 1, tzinfo=UTC):
            expected.append(period_after(expected[-1], found.interval, 31))
        assert [one[:2] for one in periods(company)] == list(zip(expected[1:-1], expected[2:], strict=True))
        assert found.period_end == expected[-1]


@pytest.mark.django_db(transaction=True)
def test_workers_share_a_batch_and_numbers_have_no_gap() -> None:
    companies = [subscribed_as(n) for n in range(12)]

    def work(_: int) -> None:
        try:
            for _ in range(8):
                bill_batch(2)
        finally:
            connection.close()

    with at(END):
        at_once(4, None, work)
    numbers = sorted(one.number or "" for company in companies for one in invoices(company))
    assert numbers == [f"INV-2026-{n:06d}" for n in range(1, 13)]
    assert all(changes(company)[-1].action == "billed" for company in companies)


def subscribed_as(n: int) -> Company:
    with at(NOON):
        company = make_company()
        grant_subscription(company_id=company.pk, plan=plan_of(f"Club {n}"), interval="month")
    with company_scope(company.pk):
        CompanySettings.objects.update(subscription_policies={"remindDaysBefore": []})
    return company
