"""The journey of a quote: made on a lead, edited with live sums, sent, and accepted on the public page."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from crm.models import Lead
from outreach.models import Quote, SendJob
from outreach.site.quotes.tokens import token_of
from tests.browser.test_comments import log_in
from tests.kit.cast import make_cast
from tests.kit.factories import SmtpFactory
from tests.outreach.site.quotes.helpers import make_lead

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.mark.both_widths
def test_make_send_and_accept(page: Page, live_server: Any, settings: Any, tmp_path: Any) -> None:
    settings.MEDIA_ROOT = tmp_path
    cast = make_cast()
    lead = make_lead(cast)
    with cast.scope():
        SmtpFactory(verified=True)
    log_in(page, cast.owner.email)
    page.goto(f"/c/{cast.company.pk}/quotes/new?lead={lead}")
    page.get_by_role("button", name="Create quote").click()
    page.get_by_label("Currency").fill("EUR")
    page.get_by_label("Name").fill("Design")
    page.get_by_label("Quantity").fill("2.5")
    page.get_by_label("Price").fill("99.99")
    page.get_by_label("Discount %").fill("10")
    page.get_by_label("Tax %").fill("19")
    expect(page.locator("[data-line]")).to_have_text("€224.98")
    expect(page.locator("[data-total]")).to_have_text("€267.73")
    page.get_by_role("button", name="Add line").click()
    expect(page.get_by_label("Name")).to_have_count(2)
    expect(page.get_by_label("Name").first).to_have_value("Design")
    page.get_by_label("Name").last.fill("Hosting")
    page.get_by_role("button", name="Move up").click()
    expect(page.get_by_label("Name").first).to_have_value("Hosting")
    page.get_by_role("button", name="Remove").first.click()
    expect(page.get_by_label("Name")).to_have_count(1)
    page.get_by_role("button", name="Save and send").click()
    expect(page.get_by_label("Subject")).to_have_value("Quote Q-0001 from " + cast.company.name)
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text("Quote sent", exact=True)).to_be_visible()
    with cast.scope():
        quote = Quote.objects.get()
        assert (str(quote.total), SendJob.objects.count()) == ("267.7300", 1)

    page.context.clear_cookies()
    page.goto(f"/q/{token_of(cast.company.pk, quote.pk)}")
    expect(page.get_by_role("heading", name="Q-0001", exact=True)).to_be_visible()
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("alert")).to_have_text("Tick the box to accept the quote.")
    page.get_by_label("Your name").fill("Ada Lovelace")
    page.get_by_label("I accept this quote for €267.73.").check()
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("status")).to_contain_text("Ada Lovelace accepted this quote")
    with cast.scope():
        assert Lead.objects.get(pk=lead).status == "won"
