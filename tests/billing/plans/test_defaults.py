"""What a new installation offers, and that an operator's own changes stay."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.apps import apps

from accounts.programs.rewards import round_money
from accounts.roles.permissions import MODULES
from billing.models import Currency, MeterPrice, Plan, PlanPrice
from billing.plans.defaults import EXAMPLE_PLANS, ExamplePlan, seed
from core.access import METERED, USAGE
from core.tenancy import unscoped
from core.text.formats import list_currencies

pytestmark = pytest.mark.django_db


def again() -> None:
    seed(app_config=apps.get_app_config("billing"), using="default")


def test_every_currency_in_use_is_there() -> None:
    assert set(Currency.objects.values_list("code", "name", "symbol", "decimals")) == {
        (found.code, found.name, found.symbol, found.decimals) for found in list_currencies()
    }
    assert Currency.objects.count() > 140


def test_example_plans() -> None:
    assert list(Plan.objects.order_by("order").values_list("name", "is_trial", "is_public")) == [
        ("Trial", True, False),
        ("Starter", False, True),
        ("Growth", False, True),
        ("Scale", False, True),
    ]
    prices = set(
        PlanPrice.objects.filter(plan__name="Growth").values_list("currency__code", "interval", "amount", "seat_amount")
    )
    assert prices == {
        ("USD", "month", Decimal(99), Decimal(25)),
        ("USD", "year", Decimal(990), Decimal(250)),
        ("EUR", "month", Decimal(92), Decimal(23)),
        ("EUR", "year", Decimal(920), Decimal(230)),
    }
    assert Plan.objects.get(name="Starter").limits["contact-category"] == 50


@pytest.mark.parametrize("example", EXAMPLE_PLANS, ids=lambda example: example.name)
def test_plans_name_modules_that_there_are(example: ExamplePlan) -> None:
    plan = Plan.objects.get(name=example.name)
    assert set(plan.modules or ()) <= set(MODULES)
    assert set(plan.limits) <= USAGE.keys() | METERED.keys()
    assert plan.modules is None or {"plan", "settings", "company", "member", "role", "api"} <= set(plan.modules)


def test_what_an_operator_changed_stays_and_what_is_missing_comes() -> None:
    Currency.objects.filter(code="EUR").update(name="Our euro", is_active=False)
    PlanPrice.objects.filter(currency__code="USD").delete()
    MeterPrice.objects.filter(currency__code="USD").delete()
    Currency.objects.filter(code__in=("USD", "SEK")).delete()
    Plan.objects.filter(name="Starter").update(name="Basic")
    with unscoped(reason="test: a plan that somebody subscribed to cannot be deleted"):
        Plan.objects.filter(name="Scale").delete()
    again()
    euro = Currency.objects.get(code="EUR")
    assert (euro.name, euro.is_active) == ("Our euro", False)
    assert Currency.objects.filter(code__in=("USD", "SEK")).count() == 2
    assert set(Plan.objects.values_list("name", flat=True)) == {"Trial", "Basic", "Growth"}
    assert not PlanPrice.objects.filter(currency__code="USD").exists()


def test_decimals_are_those_of_iso_4217_and_are_mended() -> None:
    Currency.objects.filter(code="RSD").update(decimals=0)  # as Babel writes it
    again()
    assert dict(Currency.objects.filter(code__in=("RSD", "IQD", "JPY")).values_list("code", "decimals")) == {
        "RSD": 2,
        "IQD": 3,
        "JPY": 0,
    }
    assert round_money(Decimal("1.005"), "rsd") == Decimal("1.01")
