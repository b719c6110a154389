"""The journey of a form: build it, publish it, send it as a visitor, find the lead."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from outreach.models import Form
from outreach.site.forms import public
from tests.browser.axe import find_axe, violations
from tests.kit.cast import make_cast
from tests.outreach.helpers import work
from tests.web.helpers import PASSWORD, at

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.mark.both_widths
def test_a_visitor_becomes_a_lead(page: Page, live_server: Any, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    axe = find_axe()
    assert axe is not None
    monkeypatch.setattr(public, "TOO_FAST", timedelta(0))
    cast = make_cast()
    settings.BASE_URL = live_server.url
    page.goto(at(cast.owner, "forms"))
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="New form").first.click()
    page.locator("#f-name").fill("Tasting")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="Tasting")).to_be_visible()
    page.get_by_role("link", name="Add a field").click()
    page.locator("#f-label").fill("What do you drink?")
    page.locator("#f-type").select_option(label="Choice of one")
    page.locator("#f-target").select_option(label="Notes")
    page.locator("#f-options").fill("Filter\nEspresso")
    page.get_by_role("button", name="Save field").click()
    page.get_by_role("button", name="Move up: What do you drink?").click()
    expect(page.get_by_role("region", name="Appearance").get_by_label("What do you drink?")).to_be_visible()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Form published")).to_be_visible()
    with cast.scope():
        form = Form.objects.get()
    assert [field["key"] for field in form.fields] == ["name", "email", "what_do_you_drink", "phone"]

    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{live_server.url}/f/{form.token}")
    assert violations(page.context.new_cdp_session(page), axe) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_label("Your name").fill("Ann Ash")
    page.get_by_label("Your phone number").fill("+49 151 12345678")
    page.get_by_label("What do you drink?").select_option("Espresso")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert")).to_contain_text("Enter a value.")
    assert violations(page.context.new_cdp_session(page), axe) == []
    page.get_by_label("Your email address").fill("ann@example.org")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status")).to_contain_text("Thank you")
    work("form-leads")

    page.goto(at(cast.owner, f"forms/{form.pk}/answers"))
    expect(page.get_by_text("Espresso")).to_be_visible()
    page.get_by_role("link", name="Lead", exact=True).click()
    expect(page.get_by_text("Ann Ash").first).to_be_visible()
