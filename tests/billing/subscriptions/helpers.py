"""What the tests of subscriptions have in common."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from time import monotonic
from typing import Any

import time_machine
from django.db import transaction

from accounts.models import Company, CompanySettings, Mail, User
from accounts.registration.companies import create_company
from billing.models import Currency, Plan, PlanPrice, Subscription, SubscriptionChange
from billing.subscriptions.renewals import process_due_subscriptions
from billing.subscriptions.services import grant_subscription
from core.jobs.registry import queue_work_by_name
from core.tenancy import company_scope, unscoped
from tests.kit.factories import UserFactory

NOON = datetime(2026, 3, 31, 12, tzinfo=UTC)


def at(moment: datetime) -> Any:
    """Stop the clock at the moment."""
    return time_machine.travel(moment, tick=False)


def days(number: float) -> timedelta:
    return timedelta(days=number)


def make_company(owner: User | None = None) -> Company:
    company, _ = create_company(name="Harbour Tools", owner=owner or UserFactory())
    return company


def primary(company: Company) -> Subscription:
    with company_scope(company.pk):
        return Subscription.objects.select_related("plan").get(is_primary=True)


def changes(company: Company) -> list[SubscriptionChange]:
    with company_scope(company.pk):
        return list(SubscriptionChange.objects.order_by("created_at", "id"))


def actions(company: Company) -> list[str]:
    return [change.action for change in changes(company)]


def mails(company: Company) -> list[str]:
    with unscoped(reason="test"):
        return [
            mail.kind.removeprefix("notice_subscription_")
            for mail in Mail.objects.filter(company_id=company.pk).order_by("created_at", "id")
        ]


def plan_of(name: str, *, amount: str | None = "10", interval: str = "month", **values: Any) -> Plan:
    """A plan with a price in US dollars (None: without any); a name that is taken gets a number."""
    taken = Plan.objects.filter(name=name).exists()
    plan = Plan.objects.create(name=f"{name} {Plan.objects.count()}" if taken else name, **values)
    if amount is not None:
        PlanPrice.objects.create(
            plan=plan, currency=Currency.objects.get(code="USD"), interval=interval, amount=Decimal(amount)
        )
    return plan


def run_renewals(moment: datetime) -> None:
    """Run what looks at subscriptions, bills them and collects the money, at the moment until nothing is due."""
    with at(moment):
        for _ in range(40):
            with unscoped(reason="test: the periodic task runs for all companies"), transaction.atomic():
                more = process_due_subscriptions()
            for name in ("renewals", "dunning", "payments"):
                if queue_work_by_name()[name].due():
                    queue_work_by_name()[name].drain(monotonic() + 60)
                    more = True
            if not more:
                return
    raise AssertionError("the renewals do not come to an end")


def choose(company: Company, **policies: Any) -> None:
    with company_scope(company.pk):
        CompanySettings.objects.update(subscription_policies=policies)


def subscribed(*, amount: str | None = "10", interval: str = "month", **policies: Any) -> Company:
    """A company that has subscribed at NOON, the 31st of March."""
    with at(NOON):
        company = make_company()
        grant_subscription(
            company_id=company.pk, plan=plan_of("Club", amount=amount, interval=interval), interval=interval
        )
    choose(company, **{"remindDaysBefore": [], **policies})
    return company
