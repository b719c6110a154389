"""What staff see of what is earned: by the books and the log of subscriptions, never added up over currencies."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts.models import User
from billing.invoices.services import Line, create_draft, credit_invoice, issue
from billing.models import BillingDetails, Currency, Invoice, PlanPrice
from billing.revenue.selectors import aged_receivables, churn_by_month, earned_by_month, recurring_revenue
from billing.subscriptions.services import expire_subscription
from config.local.gateway_standin.server import Server
from core.tenancy import unscoped
from tests.billing.checkout.helpers import buyer, buyer_again, order, pay, subscription_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", "correct horse battery"))
    return client


def test_what_comes_back_each_month(server: Server) -> None:
    cast, plan = buyer()
    pay(cast, order(cast, plan)["payment"]["_id"])
    yearly = buyer_again()
    euros = Currency.objects.get(code="EUR")
    PlanPrice.objects.create(plan=plan, currency=euros, interval="year", amount=Decimal(241))
    pay(yearly, order(yearly, plan, interval="year", currency="EUR")["payment"]["_id"])
    gone = buyer_again()
    pay(gone, order(gone, plan)["payment"]["_id"])
    expire_subscription(company_id=gone.company.pk)
    with unscoped(reason="test: all companies"):
        found = {one.currency: (one.subscriptions, one.minor, one.year_minor) for one in recurring_revenue()}
        assert found == {"EUR": (1, 2008, 24100), "USD": (1, 2900, 34800)}
        month = timezone.now().date().replace(day=1)
        assert {code: sums[month] for code, sums in earned_by_month().items()} == {"EUR": 24100, "USD": 5800}
        now = churn_by_month()[-1]
        assert (now.begun, now.ended) == (3, 1)


def test_what_is_owed_by_age(server: Server) -> None:
    cast, _ = buyer()
    with cast.scope():
        for days, amount in ((0, 1000), (40, 2000), (200, 4000)):
            with time_machine.travel(timezone.now() - timedelta(days=days), tick=False):
                draft = create_draft(
                    subscription=subscription_of(cast),
                    kind=Invoice.Kind.CYCLE,
                    currency="USD",
                    lines=[Line(text="A month", quantity=1, unit=amount, amount=amount)],
                    details=BillingDetails(),
                )
                issue(draft)
        credit_invoice(draft, 1500, "goodwill")
    with unscoped(reason="test: all companies"):
        found = [(one.currency, one.age, one.invoices, one.minor) for one in aged_receivables()]
    assert found == [
        ("USD", "Not due yet", 1, 1000),
        ("USD", "31 to 60 days", 1, 2000),
        ("USD", "More than 90 days", 1, 2500),
    ]


def test_the_page_of_revenue(staff: Client, server: Server) -> None:
    cast, plan = buyer()
    pay(cast, order(cast, plan)["payment"]["_id"])
    page = staff.get("/admin/billing/invoice/revenue/")
    text = page.content.decode()
    assert page.status_code == 200
    assert all(words in text for words in ("$29.00", "$348.00", "No outstanding invoices", "Revenue by month in USD"))
    assert "Revenue, churn" in staff.get("/admin/billing/invoice/").content.decode()
