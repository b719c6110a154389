"""Add-ons: bought with a plan or within its period, over the plan's limits, and billed with what is owed."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine

from billing.entitlements.selectors import entitlement_of, terms_of
from billing.ledger.services import BANK
from billing.models import AddOn, AddOnPrice, Charge, Currency, Payment, Plan, Subscription
from billing.payments.attempts import read_proof
from billing.payments.orders import cancel_open_order
from billing.payments.settlement import apply_payment
from billing.subscriptions.changes import lock_primary
from tests.billing.checkout.helpers import books_hold, buyer, order, subscription_of
from tests.billing.subscriptions.helpers import plan_of, run_renewals
from tests.kit.cast import Cast

pytestmark = pytest.mark.django_db


def add_on(name: str = "More contacts", amount: str | None = "5", **values: Any) -> AddOn:
    made = AddOn.objects.create(name=name, **{"limits": {"contact": 1000}, **values})
    if amount is not None:
        usd = Currency.objects.get(code="USD")
        AddOnPrice.objects.create(add_on=made, currency=usd, interval="month", amount=Decimal(amount))
    return made


def pay(cast: Cast, payment: Any) -> None:
    with cast.scope(), lock_primary(cast.company.pk):
        row = Payment.objects.select_for_update(no_key=True).get(pk=payment["_id"])
        apply_payment(row, account=BANK, by="bank", tx=f"pay:{row.pk}")


def order_by_key(cast: Cast, plan: Plan, **values: Any) -> Any:
    """Order by the key, which time does not end."""
    answer = cast.key.post("/subscription", {"planID": plan.pk, **values})
    assert answer.status == 201, answer.body
    return answer.data


def chosen(one: AddOn, quantity: int = 1) -> dict[str, Any]:
    return {"addOnID": one.pk, "quantity": quantity}


def limit_of(cast: Cast, name: str) -> int | None:
    with cast.scope():
        found = entitlement_of(cast.company.pk)
        assert found == terms_of(Subscription.objects.select_related("plan", "version").get(is_primary=True))
        assert found is not None
        return found.limits.get(name)


def test_a_plan_is_bought_with_add_ons() -> None:
    cast, plan = buyer(limits={"contact": 500}, modules=["contact", "plan"])
    more, extra = add_on(), add_on("Tags", "2.50", limits={"tag": 5}, modules=["tag"])
    asked = {"planID": plan.pk, "addOns": [chosen(more, 3), chosen(extra)]}
    quote = cast.session.post("/subscription/preview", asked).data
    assert [line["amount"]["amount"] for line in quote["lines"] if line["amount"]["amount"]] == [29, 15, 2.5]
    made = order(cast, plan, addOns=asked["addOns"])
    assert read_proof(made["quote"]["proof"])[0] == read_proof(quote["proof"])[0]
    assert made["payment"]["amount"]["amountMinor"] == 4650
    pay(cast, made["payment"])
    assert limit_of(cast, "contact") == 3500
    assert limit_of(cast, "tag") is None  # without a limit there is nothing to add to
    with cast.scope():
        found = entitlement_of(cast.company.pk)
        assert found is not None
        assert found.modules == {"contact", "tag", "plan", "settings", "company", "file"}
    shown = cast.session.get("/plans").data
    assert [(one["name"], one["quantity"]) for one in shown["addOns"]] == [("More contacts", 3), ("Tags", 1)]
    assert [one["prices"][0]["amount"] for one in shown["offeredAddOns"]] == [5, 2.5]
    AddOn.objects.filter(pk=more.pk).update(limits={"contact": 1}, is_public=False)
    assert limit_of(cast, "contact") == 3500  # who has bought it keeps what it adds
    books_hold()


def test_more_are_bought_for_the_rest_of_the_period_and_fewer_with_the_next() -> None:
    cast, plan = buyer(limits={"contact": 500})
    more = add_on()
    pay(cast, order(cast, plan, addOns=[chosen(more)])["payment"])
    AddOnPrice.objects.update(amount=50)  # theirs stays
    start, end = (getattr(subscription_of(cast), name) for name in ("period_start", "period_end"))
    assert start is not None
    assert end is not None
    with time_machine.travel(start + (end - start) / 2, tick=False):
        made = order_by_key(cast, plan, addOns=[chosen(more, 3)])
        assert (made["payment"]["kind"], made["payment"]["amount"]["amountMinor"]) == ("addons", 500)
        pay(cast, made["payment"])
        assert limit_of(cast, "contact") == 3500
        assert subscription_of(cast).period_end == end
        asked = {"planID": plan.pk, "addOns": [chosen(more, 1)]}
        ahead = cast.key.post("/subscription", asked)  # the running period was paid with three
        assert (ahead.status, "for the end of the period" in ahead.body["warning"]) == (400, True)
        fewer = cast.key.post("/subscription", {**asked, "when": "periodEnd"})
        assert (fewer.status, fewer.data["quote"]["lines"][-1]["quantity"], limit_of(cast, "contact")) == (200, 1, 3500)
        mixed = {"planID": plan.pk, "addOns": [chosen(more, 4)], "seats": 5}
        assert "without seats" in str(cast.key.post("/subscription", mixed).body)
    run_renewals(end)
    with cast.scope():
        pay(cast, {"_id": Payment.objects.get(status=Payment.Status.OPEN).pk})
    with time_machine.travel(end + timedelta(days=1), tick=False):
        assert limit_of(cast, "contact") == 1500
    books_hold()


def test_what_is_not_on_offer_is_refused() -> None:
    cast, plan = buyer()
    hidden, unpriced = add_on("Hidden", is_public=False), add_on("Unpriced", None)
    known = add_on()
    for add_ons, told in (
        ([chosen(hidden)], "on offer"),
        ([chosen(unpriced)], "no price for a month in USD"),
        ([{"addOnID": "0" * 24}], "on offer"),
        ([chosen(known), chosen(known)], "once"),
        ([chosen(known, 1001)], "1000"),
        ([chosen(known, -1)], "0"),
        ([{"addOnID": known.pk, "amount": 1}], "amount"),
        ("all", "addOns"),
    ):
        answer = cast.session.post("/subscription", {"planID": plan.pk, "addOns": add_ons})
        assert answer.status == 400, add_ons
        assert told in str(answer.body), (told, answer.body)


def test_an_order_bills_what_is_owed_and_a_dropped_one_gives_it_back() -> None:
    cast, plan = buyer()
    subscription = subscription_of(cast)
    with cast.scope():
        values = {"kind": "metered", "description": "Messages beyond 10", "amount_minor": 123, "source": "meter:x:1"}
        charge = Charge.objects.create(subscription=subscription, currency="USD", **values)
        other = Charge.objects.create(subscription=subscription, currency="EUR", **{**values, "source": "meter:y:1"})
    made = order(cast, plan)
    assert made["payment"]["amount"]["amountMinor"] == 2900 + 123
    assert cast.session.post("/subscription/preview", {"planID": plan.pk}).data["due"]["amountMinor"] == 3023
    with cast.scope(), lock_primary(cast.company.pk):
        charge.refresh_from_db()
        assert charge.invoice_id == made["payment"]["invoiceID"]
        cancel_open_order()
        charge.refresh_from_db()
        assert charge.invoice_id is None
    pay(cast, order(cast, plan)["payment"])
    larger = plan_of("Larger", amount="100")
    quote = cast.session.post("/subscription/preview", {"planID": larger.pk}).data
    assert quote["lines"][-1]["amount"]["amountMinor"] in range(-2900, -2890)  # what was used is not paid back
    made = order(cast, plan)  # the next period owes it no more
    assert made["payment"]["amount"]["amountMinor"] == 2900
    with cast.scope():
        other.refresh_from_db()
        assert other.invoice_id is None
    books_hold()
