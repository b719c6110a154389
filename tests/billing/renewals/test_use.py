"""What a renewal bills beside the plan: add-ons, kept terms and use, as a quote of the same period says."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from billing.meters.services import charge_ended
from billing.models import (
    AddOnPrice,
    BillingDetails,
    Charge,
    Currency,
    MeterPeriod,
    MeterPrice,
    Plan,
    PlanPrice,
    PlanVersion,
    Subscription,
    SubscriptionItem,
    TaxRate,
)
from billing.renewals.services import bill_batch
from billing.subscriptions.services import grant_subscription
from core.access.meters import reserve, settle
from core.tenancy import company_scope, unscoped
from tests.billing.addons.test_add_ons import add_on, chosen, limit_of, pay
from tests.billing.checkout.helpers import books_hold, buyer, order, subscription_of
from tests.billing.plans.test_versions import change
from tests.billing.renewals.helpers import FakeGateway, invoices, save_card
from tests.billing.subscriptions.helpers import NOON, at, days, make_company, plan_of, run_renewals
from tests.kit.cast import Cast

pytestmark = pytest.mark.django_db
METER = "messages"


def using(**plan: Any) -> tuple[Cast, Plan]:
    """A company that has bought three add-ons with its plan, and has sent four messages more than that includes."""
    cast, made = buyer(limits={METER: 10, "contact": 500}, **plan)
    PlanPrice.objects.filter(plan=made).update(seat_amount=Decimal(2))
    usd = Currency.objects.get(code="USD")
    MeterPrice.objects.create(plan=made, meter=METER, currency=usd, amount=Decimal("0.25"))
    with cast.scope():
        BillingDetails.objects.create(name="Harbour Tools", country="DE")
    TaxRate.objects.create(name="VAT", country="DE", percent=19, valid_from=NOON.date())
    pay(cast, order(cast, made, addOns=[chosen(add_on(), 3)])["payment"])
    save_card(cast.company)
    with cast.scope():
        sources = [f"m{n}" for n in range(14)]
        reserve(METER, sources)
        settle(METER, sources)
    return cast, made


@pytest.mark.parametrize("charged_before", [True, False])
def test_a_renewal_bills_what_the_preview_says(gateway: FakeGateway, charged_before: bool) -> None:
    cast, plan = using()
    change(plan)
    AddOnPrice.objects.update(amount=50)
    MeterPrice.objects.update(amount=9)
    end = subscription_of(cast).period_end
    assert end is not None
    with time_machine.travel(end, tick=False):
        if charged_before:
            with unscoped(reason="test: the periodic task runs for all companies"):
                charge_ended()
        quote = cast.key.post("/subscription/preview", {"planID": plan.pk}).data
    run_renewals(end)
    [_, second] = invoices(cast.company)
    assert (second.period_start, second.status) == (end, "paid")
    with cast.scope():
        lines = [(one.text, one.quantity, one.amount_minor, one.tax_minor) for one in second.lines.order_by("position")]
        [charge] = Charge.objects.all()
    said = [
        (one["text"], one["quantity"], one["amount"]["amountMinor"], one["tax"]["amountMinor"])
        for one in quote["lines"]
    ]
    used = (charge.description, 1, 100, 19)
    assert charge.invoice_id == second.pk
    assert lines == (said if charged_before else [*said, used])
    assert used in lines
    assert second.total_minor == quote["total"]["amountMinor"] + (0 if charged_before else 119)
    assert {one[2] for one in lines} >= {2900, 1500, 100}
    assert limit_of(cast, "contact") == 3500
    assert (subscription_of(cast).period_start, subscription_of(cast).version_id is None) == (end, False)
    with time_machine.travel(end + days(1), tick=False), cast.scope():
        found = reserve(METER, ["later"])
        assert found is not None
        assert MeterPeriod.objects.get(starts_at=end).included == 10
    books_hold()


def test_a_renewal_bills_the_add_ons_that_were_chosen_for_it(gateway: FakeGateway) -> None:
    cast, plan = using()
    end = subscription_of(cast).period_end
    assert end is not None
    [item] = cast.session.get("/plans").data["addOns"]
    wanted = [{"addOnID": item["addOnID"], "quantity": 1}]
    quote = order(cast, plan, addOns=wanted, when="periodEnd")["quote"]
    assert (quote["scheduled"], quote["due"]["amountMinor"]) == (True, 0)
    assert limit_of(cast, "contact") == 3500
    run_renewals(end)
    assert invoices(cast.company)[-1].total_minor == quote["total"]["amountMinor"] + 119  # use, known later
    assert limit_of_at(cast, end) == 1500
    assert subscription_of(cast).scheduled is None
    books_hold()


def limit_of_at(cast: Cast, moment: Any) -> int | None:
    with time_machine.travel(moment, tick=False):
        return limit_of(cast, "contact")


def test_terms_that_have_ended_are_not_billed_any_more(gateway: FakeGateway) -> None:
    cast, plan = using()
    version = change(plan)
    end = subscription_of(cast).period_end
    assert end is not None
    assert version is not None
    PlanVersion.objects.update(ends_on=end.date())
    run_renewals(end)
    with cast.scope():
        amounts = [one.amount_minor for one in invoices(cast.company)[-1].lines.order_by("position")]
    assert (amounts[0], subscription_of(cast).version_id) == (9900, None)


def test_a_free_period_keeps_its_terms_until_they_end() -> None:
    cast, plan = buyer(limits={"contact": 500})
    PlanPrice.objects.filter(plan=plan).update(amount=0)
    found = grant_subscription(company_id=cast.company.pk, plan=plan, interval="month", currency="USD")
    change(plan)
    end = found.period_end
    assert end is not None
    run_renewals(end)
    assert (subscription_of(cast).period_start, limit_of_at(cast, end)) == (end, 500)
    PlanPrice.objects.filter(plan=plan).update(amount=0)
    PlanVersion.objects.update(ends_on=end.date())
    later = subscription_of(cast).period_end
    assert later is not None
    run_renewals(later)
    assert (subscription_of(cast).version_id, limit_of_at(cast, later)) == (None, 5)


def test_more_subscriptions_take_no_more_statements(gateway: FakeGateway) -> None:
    """Statements that bill three with add-ons and kept terms are those that bill one."""
    more = add_on()

    def bill(number: int) -> int:
        plan = plan_of("Crowd")
        for _ in range(number):
            with at(NOON):
                company = make_company()
                grant_subscription(company_id=company.pk, plan=plan, interval="month", currency="USD")
            with company_scope(company.pk):
                subscription = Subscription.objects.get(is_primary=True)
                values = {"quantity": 1, "unit_amount": 5, "limits": {}}
                SubscriptionItem.objects.create(subscription=subscription, add_on=more, **values)
                source = {"amount_minor": 10, "currency": "USD", "source": "manual:1", "kind": "manual"}
                Charge.objects.create(subscription=subscription, description="By hand", **source)
        change(plan)
        with at(subscription.period_end), CaptureQueriesContext(connection) as asked:
            assert bill_batch() == number
        return len(asked)

    assert bill(1) == bill(3)
