"""Currencies and plans of a new installation: those of ISO 4217, and example plans for the operator to edit."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.apps import AppConfig

from billing.plans.models import Currency, MeterPrice, Plan, PlanPrice
from core.text.currencies import exponent
from core.text.formats import list_currencies

BASICS = (
    "custom-field",
    "custom-section",
    "apps",
    "contact",
    "contact-category",
    "lead",
    "lead-activity",
    "template",
    "company",
    "member",
    "role",
    "segment",
    "file",
    "plan",
    "settings",
    "product-service",
    "tag",
    "logs",
    "team",
    "api",
    "meeting",
    "calendar",
    "my-calendar",
    "offline-meeting",
    "genie",
)
GROWTH = (
    *BASICS,
    "campaign",
    "chatapp",
    "report",
    "domain-tracking",
    "videocall",
    "my-videocall",
    "enrich",
    "chat-widget",
    "manual-chatbot",
    "workflow",
)

PAUSE_MONTHS = 3
"""For how long subscriptions to the example plans may be paused."""


@dataclass(frozen=True, kw_only=True)
class ExamplePrice:
    """A price of an example plan, and of each seat above its minimum."""

    currency: str
    interval: str
    amount: Decimal
    seat_amount: Decimal


@dataclass(frozen=True)
class ExamplePlan:
    """A plan of a new installation."""

    name: str
    description: str
    limits: dict[str, int]
    modules: tuple[str, ...] | None = None
    min_seats: int = 1
    max_seats: int | None = None
    is_trial: bool = False
    prices: tuple[ExamplePrice, ...] = ()
    units: tuple[tuple[str, str, Decimal], ...] = ()
    """Meter, currency, and the price of a unit beyond the included quantity."""


def _limits(**numbers: int) -> dict[str, int]:
    return {module.replace("_", "-"): number for module, number in numbers.items()}


def _prices(**monthly: tuple[str, str]) -> tuple[ExamplePrice, ...]:
    """Make prices of currency -> (amount, amount of a further seat) a month. A year costs ten months."""
    return tuple(
        ExamplePrice(
            currency=currency, interval=interval, amount=Decimal(amount) * months, seat_amount=Decimal(seat) * months
        )
        for currency, (amount, seat) in monthly.items()
        for interval, months in (("month", 1), ("year", 10))
    )


def _units(**meters: tuple[str, str]) -> tuple[tuple[str, str, Decimal], ...]:
    """Make prices of meter -> a unit in US dollars and in euros."""
    return tuple(
        (meter, code, Decimal(amount))
        for meter, amounts in meters.items()
        for code, amount in zip(("USD", "EUR"), amounts, strict=True)
    )


EXAMPLE_PLANS = (
    ExamplePlan(
        "Trial",
        "Everything, for two weeks and on a small scale.",
        _limits(
            contact=1000,
            tag=100,
            contact_category=20,
            custom_field=25,
            file=200,
            apps=3,
            genie=10,
            role=10,
            api=3,
            ai_tokens=500_000,
            messages=500,
            queue=1000,
        )
        | {"ai_credits": 500},
        max_seats=5,
        is_trial=True,
    ),
    ExamplePlan(
        "Starter",
        "Contacts, leads and outreach for one or two people.",
        _limits(
            contact=5000,
            tag=200,
            contact_category=50,
            custom_field=50,
            file=2000,
            apps=3,
            genie=50,
            role=10,
            api=3,
            ai_tokens=5_000_000,
            messages=10_000,
            queue=10_000,
        )
        | {"ai_credits": 5000},
        units=_units(messages=("0.002", "0.0018"), ai_credits=("0.01", "0.0092")),
        modules=BASICS,
        max_seats=3,
        prices=_prices(USD=("29", "12"), EUR=("27", "11")),
    ),
    ExamplePlan(
        "Growth",
        "For a sales team: campaigns, workflows, chatbots and reports.",
        _limits(
            contact=50_000,
            tag=1000,
            contact_category=200,
            custom_field=200,
            file=20_000,
            apps=15,
            genie=1000,
            role=30,
            api=10,
            ai_tokens=50_000_000,
            messages=100_000,
            queue=100_000,
        )
        | {"ai_credits": 50_000},
        units=_units(messages=("0.001", "0.0009"), ai_credits=("0.008", "0.0074")),
        modules=GROWTH,
        min_seats=3,
        max_seats=25,
        prices=_prices(USD=("99", "25"), EUR=("92", "23")),
    ),
    ExamplePlan(
        "Scale",
        "All features for large teams, with unlimited contacts.",
        _limits(api=100, messages=500_000) | {"ai_credits": 200_000},
        units=_units(messages=("0.0008", "0.0007"), ai_credits=("0.006", "0.0055")),
        min_seats=10,
        prices=_prices(USD=("399", "35"), EUR=("369", "32")),
    ),
)


def seed(app_config: AppConfig, using: str, **_: Any) -> None:
    """Receive post_migrate: create missing currencies, and the example plans where no plan exists.

    Existing rows stay as they are, but for decimals, which are ISO 4217's and no choice. An operator deactivates a
    currency rather than deleting it.
    """
    if app_config.label != "billing":
        return
    currencies = Currency.objects.using(using)
    decimals_by_code = dict(currencies.values_list("code", "decimals"))
    for code, decimals in decimals_by_code.items():
        if decimals != exponent(code):  # a dozen of an earlier version, which took Babel's
            currencies.filter(code=code).update(decimals=exponent(code))
    currencies.bulk_create(
        [
            Currency(code=currency.code, name=currency.name, symbol=currency.symbol, decimals=currency.decimals)
            for currency in list_currencies()
            if currency.code not in decimals_by_code
        ],
        ignore_conflicts=True,
    )
    if not Plan.objects.using(using).exists():
        _seed_plans(using)


def _seed_plans(using: str) -> None:
    codes = {currency.code: currency for currency in Currency.objects.using(using).all()}
    for order, example in enumerate(EXAMPLE_PLANS):
        plan = Plan.objects.using(using).create(
            name=example.name,
            description=example.description,
            modules=None if example.modules is None else list(example.modules),
            limits=example.limits,
            min_seats=example.min_seats,
            max_seats=example.max_seats,
            is_trial=example.is_trial,
            is_public=not example.is_trial,
            pause_months=0 if example.is_trial else PAUSE_MONTHS,
            order=order,
        )
        PlanPrice.objects.using(using).bulk_create(
            [
                PlanPrice(
                    plan=plan,
                    currency=codes[price.currency],
                    interval=price.interval,
                    amount=price.amount,
                    seat_amount=price.seat_amount,
                )
                for price in example.prices
            ]
        )
        MeterPrice.objects.using(using).bulk_create(
            [
                MeterPrice(plan=plan, meter=meter, currency=codes[code], amount=amount)
                for meter, code, amount in example.units
            ]
        )
