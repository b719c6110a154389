"""Other companies of the demo's service, so that the back office has something to show: one in its trial, and one whose
renewal is not paid."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.utils import timezone

from accounts.models import Company, User
from accounts.registration.companies import create_company
from billing.models import Plan, Subscription
from billing.renewals.services import bill_batch
from billing.subscriptions.changes import access_end
from billing.subscriptions.renewals import mark_renewal_past_due
from billing.subscriptions.services import grant_subscription
from core.tenancy import company_scope

TRIAL = ("Quayside Cycles", "cycles@leadwright.example")
LATE = ("Harbour Bakery", "bakery@leadwright.example")
PLAN = "Starter"
LATE_FOR = timedelta(days=2)


def create_customers(create_owner: Callable[[str, str], User]) -> None:
    """Create the companies, each with an owner that `create_owner` makes of an address and a name."""
    companies = [  # each gets its trial
        create_company(name=name, owner=create_owner(email, name))[0] for name, email in (TRIAL, LATE)
    ]
    plan = Plan.objects.filter(name=PLAN).first()
    if plan is not None:
        _fall_late(companies[1], plan)


def _fall_late(company: Company, plan: Plan) -> None:
    """Set a company's paid month to have ended two days ago. It has been billed and has to pay."""
    subscription = grant_subscription(
        company_id=company.pk, plan=plan, interval="month", seats=plan.min_seats, currency="USD"
    )
    end = timezone.now() - LATE_FOR
    with company_scope(company.pk):
        start = end - timedelta(days=30)
        values = {"period_start": start, "period_end": end, "period_day": end.day, "ends_at": access_end(end)}
        Subscription.objects.filter(pk=subscription.pk).update(starts_at=start, bill_at=end, **values)
    bill_batch(only=subscription.pk)
    with company_scope(company.pk):
        mark_renewal_past_due(Subscription.objects.select_related("plan", "version").get(pk=subscription.pk))
