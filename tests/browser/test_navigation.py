"""The navigation as people use it: nothing below the fold, and all of it by keyboard and without script."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from core.web.navigation.places import PLACES
from tests.browser.conftest import PATIENCE
from tests.kit.cast import make_cast
from tests.web.helpers import enter

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def opened(browser: Browser, url: str, session: str, width: int, height: int, *, script: bool = True) -> Page:
    context = browser.new_context(
        base_url=url, viewport={"width": width, "height": height}, has_touch=width < 760, java_script_enabled=script
    )
    context.add_cookies([{"name": "sessionid", "value": session, "url": url}])
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    return page


def test_side_bar_and_settings_at_a_desk(browser: Browser, live_server: Any) -> None:
    cast = make_cast()
    session = enter(cast.owner).cookies["sessionid"].value
    page = opened(browser, live_server.url, session, 1280, 800)
    page.goto(f"/c/{cast.company.pk}/contacts")
    side = page.get_by_role("navigation", name="Main", exact=True)
    for place in PLACES:
        expect(side.get_by_role("link", name=place.label, exact=True)).to_be_in_viewport(ratio=1)

    # A tab by the keyboard, then the settings, whose marked line is in view however deep it stands.
    tabs = page.get_by_role("navigation", name="Contacts", exact=True)
    tabs.get_by_role("link", name="Segments").press("Enter")
    expect(page.get_by_role("heading", name="Segments", level=1)).to_be_visible()
    page.goto(f"/c/{cast.company.pk}/settings/plan/invoices")
    listed = page.get_by_role("navigation", name="Settings", exact=True)
    expect(listed.get_by_role("link", name="Invoices", exact=True)).to_be_in_viewport()
    listed.get_by_role("link", name="Webhooks", exact=True).press("Enter")
    expect(page.get_by_role("heading", name="Webhooks", level=1)).to_be_visible()
    page.context.close()


def test_places_and_settings_on_a_phone_without_script(browser: Browser, live_server: Any) -> None:
    cast = make_cast()
    session = enter(cast.owner).cookies["sessionid"].value
    page = opened(browser, live_server.url, session, 390, 844, script=False)
    page.goto(f"/c/{cast.company.pk}/")
    bar = page.get_by_role("navigation", name="Main, small screen")
    expect(bar.locator("> *")).to_have_text(["Home", "Inbox", "Contacts", "Leads", re.compile("More")])
    bar.get_by_role("button", name="More").click()
    page.locator("#more-menu").get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="Members Invite").click()
    expect(page.get_by_role("heading", name="Members", level=1)).to_be_visible()
    expect(page.locator("#settings-list")).to_be_hidden()
    page.get_by_role("button", name="Settings", exact=True).click()
    page.locator("#settings-list").get_by_role("link", name="Roles", exact=True).click()
    expect(page.get_by_role("heading", name="Roles", level=1)).to_be_visible()
    page.context.close()


@pytest.mark.parametrize(
    ("status", "text"),
    [(500, "Something went wrong on our side. Error number: 66f0c0ffee"), (503, "The service does not answer.")],
)
def test_errors_of_the_service_are_told_apart(browser: Browser, live_server: Any, status: int, text: str) -> None:
    cast = make_cast()
    session = enter(cast.owner).cookies["sessionid"].value
    page = opened(browser, live_server.url, session, 1280, 800)
    page.goto(f"/c/{cast.company.pk}/tags")
    page.route(
        re.compile(r"/tags\?"), lambda route: route.fulfill(status=status, headers={"X-Request-ID": "66f0c0ffee"})
    )
    page.get_by_role("searchbox").first.fill("fair")
    expect(page.locator("#toasts")).to_contain_text(text)
    page.context.close()
