"""Hooks in any order, repeated and missing: they only make us look, so that the state in the end is one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from billing.gateways.base import GatewayRefused, Order, PaymentState, PaymentUpdate, WebhookHint
from billing.ledger.services import cash_account
from billing.models import Attempt, GatewayAccount, Posting
from billing.payments import processor
from billing.payments.hooks import store
from core.tenancy import company_scope
from tests.billing.checkout.helpers import books_hold
from tests.billing.renewals.helpers import FakeGateway, charged, invoices
from tests.billing.subscriptions.helpers import at, days, primary, run_renewals
from tests.kit.examples import thorough

pytestmark = pytest.mark.django_db
END = datetime(2026, 4, 30, 12, tzinfo=UTC)
SAYS = st.sampled_from([PaymentState.FAILED, PaymentState.OPEN])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("hook"), st.integers(0, 2), st.integers(0, 3)),  # of which charge, with which event
        st.tuples(st.just("work"), st.sampled_from([0.01, 0.4, 1.0])),  # days that pass before
    ),
    max_size=8,
)


class Refusing(FakeGateway):
    """A gateway that refuses so many charges, and says of them that they failed, or, as Stripe, that they are open."""

    def __init__(self, refusals: int, says: PaymentState) -> None:
        super().__init__()
        self.says = says
        self.answers, self.refused = [GatewayRefused("insufficient_funds")] * refusals, set[str]()

    def move(self, order: Order) -> PaymentUpdate:
        assert order.reference not in self.refused, "what was refused is charged again"
        try:
            return super().move(order)
        except GatewayRefused:
            self.refused.add(order.reference)
            raise

    def find(self, order: Order) -> PaymentUpdate:
        if order.reference in self.refused:
            return PaymentUpdate(state=self.says, reference=order.reference)
        return super().find(order)


@settings(max_examples=thorough(12), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(refusals=st.integers(0, 3), says=SAYS, steps=STEPS)
@example(refusals=1, says=PaymentState.OPEN, steps=[("work", 1.0), ("hook", 0, 0), ("hook", 0, 1), ("work", 0.01)])
def test_hooks_in_any_order_repeated_and_missing_end_in_one_state(
    monkeypatch: pytest.MonkeyPatch, refusals: int, says: PaymentState, steps: list[Any]
) -> None:
    gateway = Refusing(refusals, says)
    monkeypatch.setattr(processor, "gateway_client", gateway)
    company, moment = charged(), END
    account = GatewayAccount.objects.get(letter="a")
    run_renewals(moment)
    for name, *values in steps:
        if name == "work":
            moment += days(values[0])
            run_renewals(moment)
            continue
        which, event = values
        with company_scope(company.pk):
            known = list(Attempt.objects.order_by("created_at", "pk"))
        if known:
            id = known[which % len(known)].pk
            with at(moment):
                store(account, WebhookHint(event_id=f"{company.pk}:{id}:{event}", names=(f"pi_{id}",)))
    for day in (1, 2, 3, 4, 5):
        run_renewals(max(moment, END + days(day)))
    [invoice] = invoices(company)
    assert (invoice.status, primary(company).status, primary(company).period_start) == ("paid", "active", END)
    assert len(gateway.paid) == 1
    with company_scope(company.pk):
        kept = {status: Attempt.objects.filter(status=status).count() for status in ("paid", "failed")}
        assert kept == {"paid": 1, "failed": refusals}
        assert sum(Posting.objects.filter(account=cash_account("a")).values_list("amount_minor", flat=True)) == 1000
    books_hold()


def test_a_late_hook_of_a_refused_charge_finds_the_next_one_open(monkeypatch: pytest.MonkeyPatch) -> None:
    gateway = Refusing(1, PaymentState.OPEN)
    monkeypatch.setattr(processor, "gateway_client", gateway)
    company = charged()
    run_renewals(END)
    with at(END), company_scope(company.pk):
        first = Attempt.objects.get()
        Attempt.objects.create(payment=first.payment, kind="charge", letter="a", adapter="stripe", method=first.method)
        store(GatewayAccount.objects.get(letter="a"), WebhookHint(event_id="evt_late", names=(first.gateway_id,)))
    run_renewals(END + days(0.1))
    assert (primary(company).status, len(gateway.paid), len(invoices(company))) == ("active", 1, 1)
