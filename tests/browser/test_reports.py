"""The journey through a report: choose it, group it otherwise, put it onto a dashboard."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import press
from tests.kit.cast import make_cast
from tests.kit.factories import LeadFactory
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("page", [1280], indirect=True)
def test_a_report_is_grouped_otherwise_and_kept_on_a_dashboard(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        LeadFactory(status="won")

    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("navigation", name="Main", exact=True).get_by_role("link", name="Reports").click()
    expect(page.get_by_role("heading", name="Reports")).to_be_visible()
    expect(page.locator(".chart")).to_be_visible()

    press(page)  # htmx listens before the first choice
    page.get_by_role("combobox", name="By").select_option("Stage")
    expect(page).to_have_url(re.compile("by=stage"))
    expect(page.get_by_role("link", name="CSV")).to_have_attribute("href", re.compile("by=stage"))
    expect(page.get_by_role("link", name="Dashboards").first).to_be_visible()
    page.locator("summary", has_text="Show table").click()
    won = page.get_by_role("row", name=re.compile("^Won"))
    expect(won).to_contain_text("1")

    page.locator("summary", has_text="Add to a dashboard").click()
    page.get_by_label("New dashboard name").fill("Sales")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page).to_have_url(re.compile(r"/dashboards/[0-9a-f]{24}$"))
    expect(page.get_by_role("heading", name="Sales")).to_be_visible()

    # The title leads back to the report, whose rows lead to what they count.
    page.get_by_role("link", name="Leads", exact=True).last.click()
    page.locator("summary", has_text="Show table").click()
    won.get_by_role("link").first.click()
    expect(page.locator("tr[data-row]")).to_have_count(1)
    expect(page.get_by_text("Records of the report")).to_be_visible()
