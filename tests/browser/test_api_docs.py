"""The pages of the API in a browser: guides, search and a group, wide and narrow, in light and in dark."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import find_axe, violations

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
LOOKED_AT = (
    "/api/docs",
    "/api/docs?q=merge",
    "/api/docs/tag",
    "/api/docs/guides/errors",
    "/api/docs/guides/quick-start",
)


def test_a_reader_goes_from_the_index_to_a_guide_and_to_an_operation(page: Page) -> None:
    page.goto("/api/docs")
    page.get_by_role("main").get_by_role("link", name="Quick start").click()
    expect(page.get_by_role("heading", level=1, name="Quick start")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="filters", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Filters and search")).to_be_visible()
    page.get_by_role("searchbox").fill("merge contacts")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("status")).to_contain_text("with “merge contacts”")
    page.get_by_role("link", name="POST /contact/merge Merge contacts").click()
    request = page.get_by_role("region", name="Request: Merge contacts", exact=True)
    expect(request).to_contain_text('"winner": "CONTACT_ID"')


def test_pages_are_accessible_and_fit(page: Page) -> None:
    axe = find_axe()
    assert axe is not None
    debugger = page.context.new_cdp_session(page)
    found = []
    for path in LOOKED_AT:
        page.goto(path)
        page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
        found += [f"{path}: {one}" for one in violations(debugger, axe)]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    assert not found, "\n".join(found)
