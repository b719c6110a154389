"""The journey of a lapsed company: it chooses a plan, pays on the gateway's page, goes on, and has its invoice."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from billing.models import Plan
from billing.standin.server import running
from tests.billing.checkout.helpers import buyer, open_gateways
from tests.web.helpers import PASSWORD, at

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def fits(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_lapsed_company_buys_and_goes_on(page: Page, live_server: Any, settings: Any) -> None:
    settings.BASE_URL = live_server.url
    with running() as server:
        Plan.objects.update(is_public=False)
        cast, plan = buyer(description="For small teams")
        open_gateways(server, settings)
        page.goto(at(cast.owner, "settings/plan"))
        page.get_by_label("E-mail address").fill(cast.owner.email)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_text("No access")).to_be_visible()
        page.get_by_role("link", name=f"Choose {plan.name}").click()
        expect(page.get_by_role("heading", name="What it costs")).to_be_visible()
        page.get_by_label("Coupon").fill("NONE")
        page.get_by_role("button", name="Show the price").click()
        expect(page.get_by_text("The coupon cannot be used for this").first).to_be_visible()
        fits(page)
        page.get_by_label("Coupon").fill("")
        page.get_by_role("button", name="Show the price").click()
        page.get_by_role("button", name="Go on to pay").click()
        expect(page.get_by_text("IBAN X")).to_be_visible()
        fits(page)
        page.get_by_role("button", name="PayPal").click()
        page.get_by_role("link", name="Go on to pay").click()
        expect(page.get_by_text("No money moves here")).to_be_visible()
        page.get_by_role("button", name="Cancel").click()
        page.get_by_role("button", name="I have paid: look").click()
        expect(page.get_by_text("Nothing has come yet")).to_be_visible()
        page.get_by_role("link", name="Go on to pay").click()
        page.get_by_role("button", name="Pay", exact=True).click()
        expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
        with page.expect_download() as got:
            page.get_by_role("button", name="Invoice").click()
        assert re.fullmatch(r"INV-\d{4}-\d{6}\.pdf", got.value.suggested_filename)
        page.get_by_role("link", name="Plan and use").first.click()
        expect(page.get_by_text("Active").first).to_be_visible()
        page.get_by_role("button", name="Cancel at the end of the period").click()
        page.get_by_role("button", name="Let it go on").click()
        page.get_by_role("link", name="Invoices").click()
        expect(page.get_by_text("Paid", exact=True)).to_be_visible()
        page.get_by_role("link", name="Whom they are made out to").click()
        page.get_by_label("Country").fill("Nowhere")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Nowhere").first).to_be_visible()
        fits(page)
    assert len(server.state.effects) == 1
