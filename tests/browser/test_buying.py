"""The journey of a company: it registers, lets its trial lapse, is refused, pays on a gateway's page, and goes on."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import Company
from billing.models import Plan, Subscription
from billing.subscriptions.renewals import process_due_subscriptions
from config.local.gateway_standin.server import run_server
from core.tenancy import company_scope, unscoped
from tests.accounts.auth.helpers import mails_to, token_in
from tests.billing.checkout.helpers import open_gateways
from tests.billing.subscriptions.helpers import plan_of
from tests.web.helpers import PASSWORD

ADDRESS = "ann@example.org"
pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def fits(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def register(page: Page, root: str) -> Company:
    """Register a company by the pages."""
    page.goto(f"{root}/register")
    for label, text in {"Your name": "Ann Lee", "Your company": "Harbour Tools", "Email address": ADDRESS}.items():
        page.get_by_label(label).fill(text)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Register").click()
    expect(page.get_by_role("heading", name="Check your inbox")).to_be_visible()
    page.goto(f"{root}/verify-email?token={token_in(mails_to(ADDRESS)[-1])}")
    page.get_by_role("button", name="Verify and log in").click()
    page.wait_for_url("**/c/*/")
    return Company.objects.get(email=ADDRESS)


def end_trial(company: Company) -> None:
    """Let the company's trial come to its end."""
    with company_scope(company.pk):
        trial = Subscription.objects.get()
        assert (trial.status, trial.plan.is_trial) == ("trial", True)
        now = timezone.now()
        Subscription.objects.update(period_end=now, ends_at=now, look_at=now)
    with unscoped(reason="test: the periodic task"), transaction.atomic():
        process_due_subscriptions()


def test_a_company_registers_lapses_pays_and_goes_on(page: Page, live_server: Any, settings: Any) -> None:
    settings.BASE_URL = live_server.url
    with run_server() as server:
        Plan.objects.filter(is_trial=False).update(is_public=False)
        plan = plan_of("Club", amount="29", max_seats=10, description="For small teams")
        open_gateways(server, settings)
        company = register(page, live_server.url)
        page.goto("about:blank")  # an open page asks on, and its console takes each 403 for an error
        end_trial(company)
        # Asked beside the page, since a browser writes each 403 into its console.
        refused = page.request.get(f"{live_server.url}/c/{company.pk}/contacts")
        assert (refused.status, "Your subscription has ended" in refused.text()) == (403, True)
        assert f"/c/{company.pk}/settings/plan" in refused.text()
        page.goto(f"{live_server.url}/c/{company.pk}/settings/company")
        fits(page)
        page.get_by_role("link", name="Choose a plan").click()
        expect(page.get_by_text("No access")).to_be_visible()
        page.get_by_role("link", name=f"Choose {plan.name}").click()
        expect(page.get_by_role("heading", name="Cost")).to_be_visible()
        page.get_by_label("Coupon").fill("NONE")
        page.get_by_role("button", name="Show the price").click()
        expect(page.get_by_text("The coupon cannot be used for this").first).to_be_visible()
        fits(page)
        page.get_by_label("Coupon").fill("")
        page.get_by_role("button", name="Show the price").click()
        page.get_by_role("button", name="Continue to payment").click()
        expect(page.get_by_text("IBAN X")).to_be_visible()
        fits(page)
        page.get_by_role("button", name="PayPal").click()
        page.get_by_role("link", name="Continue to payment").click()
        expect(page.get_by_text("No money moves here")).to_be_visible()
        page.get_by_role("button", name="Cancel").click()
        page.get_by_role("button", name="Check payment").click()
        expect(page.get_by_text("No payment received yet")).to_be_visible()
        page.get_by_role("link", name="Continue to payment").click()
        page.get_by_role("button", name="Pay", exact=True).click()
        expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
        with page.expect_download() as got:
            page.get_by_role("button", name="Invoice").click()
        assert re.fullmatch(r"INV-\d{4}-\d{6}\.pdf", got.value.suggested_filename)
        page.get_by_role("main").get_by_role("link", name="Plan and usage").first.click()
        expect(page.get_by_text("Paid until").first).to_be_visible()
        page.goto(f"{live_server.url}/c/{company.pk}/contacts")
        expect(page.get_by_role("heading", name="Contacts", exact=True)).to_be_visible()
        page.goto(f"{live_server.url}/c/{company.pk}/settings/plan")
        page.get_by_role("main").get_by_role("link", name="Invoices").click()
        expect(page.get_by_text("Paid", exact=True)).to_be_visible()
        page.get_by_role("link", name="Billing details").click()
        page.get_by_label("Country").fill("Nowhere")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Nowhere").first).to_be_visible()
        fits(page)
    assert len(server.state.effects) == 1
