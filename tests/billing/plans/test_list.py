"""GET /plans and /plans/:id: the company's subscription with the plans on offer, and a plan's price in a currency."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import CompanySettings
from billing.models import Currency, Plan, PlanPrice, Subscription
from billing.subscriptions.services import expire_subscription, grant_subscription, override_subscription
from core.ids import new_id
from tests.billing.subscriptions.helpers import plan_of
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, TagFactory

pytestmark = pytest.mark.django_db


def offer(name: str, *prices: tuple[str, str, str, str], **values: Any) -> Plan:
    plan = Plan.objects.create(name=name, **values)
    for code, interval, amount, seat in prices:
        PlanPrice.objects.create(
            plan=plan,
            currency=Currency.objects.get(code=code),
            interval=interval,
            amount=Decimal(amount),
            seat_amount=Decimal(seat),
        )
    return plan


def test_the_subscription_stands_around_the_plans(cast: Cast) -> None:
    plan = offer(
        "Team",
        ("EUR", "month", "19.99", "4.5"),
        limits={"contact": 10, "tag": 5},
        modules=["contact", "tag", "plan"],
        max_seats=7,
    )
    grant_subscription(company_id=cast.company.pk, plan=plan, interval="month", seats=3, currency="EUR")
    override_subscription(company_id=cast.company.pk, modules=None, limits={"contact": 50})
    with cast.scope():
        ContactFactory.create_batch(2)
        TagFactory()
        stored = Subscription.objects.get()
    for caller in (cast.key, cast.session):
        answer = caller.get("/plans", p="1", n="2", sortBy="order,name", sortOrder="asc,asc")
        assert answer.status == 200
        data = answer.data
        plans = data.pop("plans")
        assert [plan["name"] for plan in plans] == ["Team", "Starter"]
        assert (answer.body["totalCount"], bool(answer.body["nextCursor"])) == (4, True)
        assert plans[0] == {**data["plan"], "current": True, "change": "same"}
        assert data["plan"]["prices"] == [{"currency": "EUR", "interval": "month", "amount": 19.99, "seatAmount": 4.5}]
        assert (data["_id"], data["status"], data["isOpen"]) == (stored.pk, "active", True)
        assert (data["interval"], data["currency"], data["cancelAtPeriodEnd"]) == ("month", "EUR", False)
        assert data["seats"] == {"used": 2, "total": 3}
        assert data["modules"] == ["company", "contact", "file", "plan", "settings", "tag"]
        assert data["limits"] == [
            {"module": "contact", "limit": 50, "used": 2, "monthly": False},
            {"module": "tag", "limit": 5, "used": 1, "monthly": False},
        ]
        assert data["period"]["end"][:10] == stored.period_end.date().isoformat()
        assert data["endsAt"][:10] == stored.ends_at.date().isoformat()


def test_the_whole_list_and_its_last_page(cast: Cast) -> None:
    whole = cast.key.get("/plans")
    assert sorted(plan["name"] for plan in whole.data["plans"]) == ["Growth", "Scale", "Starter"]
    assert (whole.body["totalCount"], whole.body["nextCursor"], whole.data["status"]) == (3, None, "active")
    first = cast.key.get("/plans", n="2", cursorPagination="true")
    last = cast.key.get("/plans", n="2", cursor=first.body["nextCursor"])
    assert [plan["name"] for plan in (*first.data["plans"], *last.data["plans"])] == [
        plan["name"] for plan in whole.data["plans"]
    ]
    assert last.body["nextCursor"] is None


def test_list_contract(cast: Cast) -> None:
    offer("Hidden", is_public=False)

    def names(**query: Any) -> list[str]:
        return [plan["name"] for plan in cast.key.get("/plans", **query).data["plans"]]

    assert names(searchValue="workflows") == ["Growth"]
    assert names(filters={"name": "Scale"}) == ["Scale"]
    assert names(advancedFilters={"field": "minSeats", "operator": "greaterThan", "value": 1}, sortBy="minSeats") == [
        "Scale",
        "Growth",
    ]
    assert names(searchValue="Hidden") == []
    refused = cast.key.get("/plans", sortBy="price")
    assert (refused.status, refused.body["message"]) == (400, "This request is not possible.")


def test_a_company_without_plan_and_one_without_subscription(cast: Cast) -> None:
    data = cast.key.get("/plans").data
    assert (data["plan"], data["modules"], data["limits"], data["seats"]) == (
        None,
        None,
        [],
        {"used": 2, "total": None},
    )
    assert data["period"] == {"start": None, "end": None, "runsUntil": None}
    with cast.scope():
        Subscription.objects.all().delete()
    for caller in (cast.key, cast.session):
        data = caller.get("/plans").data
        assert (data["_id"], data["status"], data["isOpen"], data["modules"]) == (None, "none", False, [])
        assert len(data["plans"]) == 3


def test_a_lapsed_company_sees_the_plans_and_its_role_still_binds(cast: Cast) -> None:
    expire_subscription(company_id=cast.company.pk)
    some = Plan.objects.get(name="Starter").pk
    for caller in (cast.key, cast.session):
        answer = caller.get("/plans")
        assert (answer.status, answer.data["status"], answer.data["isOpen"]) == (200, "expired", False)
        assert caller.get(f"/plans/{some}").status == 200
    assert cast.narrow_session.get("/plans").status == 403
    assert cast.narrow_session.get(f"/plans/{some}").status == 403


def test_the_other_company_has_its_own(cast: Cast, outsiders: Cast) -> None:
    grant_subscription(company_id=outsiders.company.pk, plan=plan_of("Secret", is_public=False), interval="month")
    assert cast.key.get("/plans").data["plan"] is None
    secret = outsiders.key.get("/plans").data["plan"]
    assert secret["name"] == "Secret"
    assert outsiders.key.get(f"/plans/{secret['_id']}").data["plan"]["name"] == "Secret"
    refused = cast.key.get(f"/plans/{secret['_id']}")
    assert (refused.status, refused.body["message"]) == (400, "Plan not found.")


def test_a_plan_in_a_currency(cast: Cast) -> None:
    plan = offer(
        "Team",
        ("EUR", "month", "9", "1"),
        ("EUR", "year", "90", "10"),
        ("USD", "month", "10", "2"),
        ("CHF", "month", "11", "3"),
    )
    path = f"/plans/{plan.pk}"

    def found(**query: str) -> tuple[str, list[float]]:
        answer = cast.session.get(path, **query)
        assert answer.status == 200
        return answer.data["code"], [price["amount"] for price in answer.data["plan"]["prices"]]

    assert found() == ("USD", [10.0])
    assert found(currency="eur") == ("EUR", [9.0, 90.0])
    with cast.scope():
        CompanySettings.objects.update(currency="CHF")
    assert found() == ("CHF", [11.0])
    with cast.scope():
        CompanySettings.objects.update(currency="SEK")
    assert found() == ("USD", [10.0])
    PlanPrice.objects.filter(currency__code="USD").delete()
    assert found() == ("CHF", [11.0])
    assert found(currency="JPY") == ("JPY", [])
    data = cast.key.get(path, currency="EUR").data
    euro = Currency.objects.get(code="EUR")
    assert {name: data[name] for name in ("_id", "code", "name", "symbol", "decimals")} == {
        "_id": euro.pk,
        "code": "EUR",
        "name": "Euro",
        "symbol": "€",
        "decimals": 2,
    }
    assert data["plan"]["prices"][1] == {"currency": "EUR", "interval": "year", "amount": 90.0, "seatAmount": 10.0}


def test_a_plan_without_any_price_is_in_the_companys_currency(cast: Cast) -> None:
    plan = offer("On request")
    with cast.scope():
        CompanySettings.objects.update(currency="SEK")
    data = cast.key.get(f"/plans/{plan.pk}").data
    assert (data["code"], data["plan"]["prices"]) == ("SEK", [])


def test_plans_and_currencies_that_are_not_there(cast: Cast) -> None:
    assert cast.key.get(f"/plans/{new_id()}").body["message"] == "Plan not found."
    assert cast.key.get("/plans/x").body["message"] == "Invalid format for field _id: x"
    some = Plan.objects.get(name="Starter").pk
    for bad in ("XXQ", "E", "€uro", "EUR,USD"):
        refused = cast.key.get(f"/plans/{some}", currency=bad)
        assert (refused.status, "currency" in refused.body["warning"]) == (400, True), bad
    Currency.objects.filter(code="EUR").update(is_active=False)
    assert cast.key.get(f"/plans/{some}", currency="EUR").status == 400
    assert {price["currency"] for price in cast.key.get(f"/plans/{some}").data["plan"]["prices"]} == {"USD"}


def test_queries_do_not_grow_with_the_plans(cast: Cast) -> None:
    cast.key.get("/plans", p="1", n="50")
    with CaptureQueriesContext(connection) as few:
        cast.key.get("/plans", p="1", n="50")
    for number in range(20):
        offer(f"Plan {number}", ("EUR", "month", "1", "1"), ("USD", "month", "1", "1"))
    with CaptureQueriesContext(connection) as many:
        cast.key.get("/plans", p="1", n="50")
    assert len(many) == len(few)
