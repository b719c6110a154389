"""The life of a subscription in a browser: bought, more seats, fewer at the end, cancelled, kept, charged otherwise."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from billing.models import Plan, PlanPrice, Subscription
from config.local.gateway_standin.server import run_server
from core.tenancy import company_scope
from tests.billing.checkout.helpers import open_gateways
from tests.billing.subscriptions.helpers import plan_of
from tests.browser.test_buying import fits, register

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_a_subscription_is_bought_grown_shrunk_cancelled_kept_and_charged_otherwise(
    page: Page, live_server: Any, settings: Any
) -> None:
    settings.BASE_URL = live_server.url
    with run_server() as server:
        Plan.objects.filter(is_trial=False).update(is_public=False)
        plan = plan_of("Club", amount="29", max_seats=10)
        PlanPrice.objects.filter(plan=plan).update(seat_amount=10)
        open_gateways(server, settings)
        company = register(page, live_server.url)
        home = f"{live_server.url}/c/{company.pk}/settings/plan"

        page.goto(home)
        expect(page.get_by_text(re.compile(r"\d+ days left"))).to_be_visible()
        page.get_by_role("link", name="Choose Club").click()
        page.get_by_role("button", name="Continue to payment $29.00").click()
        page.get_by_role("button", name="PayPal").click()
        page.get_by_role("button", name="Choose another method").click()
        page.get_by_role("button", name="Card (Stripe)").click()
        page.get_by_role("link", name="Continue to payment").click()
        page.get_by_role("button", name="Pay", exact=True).click()
        expect(page.get_by_role("heading", name="Thank you")).to_be_visible()

        page.goto(home)
        page.get_by_role("link", name="Change seats").click()
        page.get_by_label("People").fill("3")
        page.get_by_role("button", name="Show the price").click()
        expect(page.get_by_text("Club for 3 people, $49.00 a month")).to_be_visible()
        fits(page)
        page.get_by_role("button", name="Continue to payment").click()
        expect(page.get_by_role("heading", name="Pay for 3 seats")).to_be_visible()
        page.get_by_role("button", name="PayPal").click()
        page.get_by_role("link", name="Continue to payment").click()
        page.get_by_role("button", name="Pay", exact=True).click()
        expect(page.get_by_text("You now have 3 seats.")).to_be_visible()

        page.goto(f"{home}/seats?seats=2")
        expect(page.get_by_text("You pay nothing now")).to_be_visible()
        page.get_by_role("button", name="Change on").click()
        expect(page.get_by_text("Then it continues with 2 seats")).to_be_visible()

        page.get_by_role("link", name="Cancel the subscription").click()
        expect(page.get_by_text("without a refund")).to_be_visible()
        fits(page)
        page.get_by_role("button", name="Cancel the subscription").click()
        expect(page.get_by_text("Ends on").first).to_be_visible()
        page.goto(f"{live_server.url}/c/{company.pk}/")
        page.get_by_role("button", name="Keep subscription").click()
        expect(page.get_by_text("Paid until").first).to_be_visible()
        fits(page)

        page.get_by_role("main").get_by_role("link", name="Payment methods").click()
        expect(page.get_by_text("Default", exact=True)).to_have_count(1)
        page.get_by_role("button", name=re.compile("^Make default: ")).click()
        expect(page.get_by_text("Used for payments from now on")).to_be_visible()
        page.get_by_role("button", name=re.compile("^Remove ")).first.click()
        expect(page.get_by_role("button", name="Remove", exact=True)).to_be_visible()
        page.get_by_role("dialog").get_by_role("button", name="Keep").click()
        fits(page)
        page.get_by_role("main").get_by_role("link", name="Invoices").click()
        expect(page.get_by_text("Club: more seats")).to_be_visible()
        fits(page)
    with company_scope(company.pk):
        held = Subscription.objects.get(is_primary=True)
        assert (held.seats, held.scheduled, held.cancel_at_period_end) == (3, {"seats": 2}, False)
    assert len(server.state.effects) == 2
