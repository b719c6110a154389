"""The palette and the keys: search by Ctrl-K, choose by arrows, go by g and a letter, see the keys by ?."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import PATIENCE, go_by_keys, press
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory
from tests.web.helpers import enter

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_find_go_and_keys(browser: Browser, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        for name in ("Wei Hedlund", "Elsa Hedlund"):
            ContactFactory(name=name)
    context = browser.new_context(base_url=live_server.url, viewport={"width": 1280, "height": 800})
    session = enter(cast.owner).cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(f"/c/{cast.company.pk}/contacts")

    # Ctrl-K, type, arrow, Enter: the second one is opened.
    press(page, "Control+k")
    field = page.get_by_role("combobox", name=re.compile("^Search"))
    expect(field).to_be_focused()
    options = page.locator("#results").get_by_role("option")
    expect(options.filter(has_text="New contact")).to_have_count(1)
    page.keyboard.type("hedl", delay=15)
    expect(options).to_have_count(2)
    expect(options.first).to_have_attribute("aria-selected", "true")
    press(page, "ArrowDown")
    expect(field).to_have_attribute("aria-activedescendant", re.compile("^hit-1$"))
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    press(page, "Enter")
    expect(page.get_by_role("heading", name="Wei Hedlund", level=1)).to_be_visible()

    # Where answers are slower than the typing, the last one counts; Enter before it is there waits for it.
    network = context.new_cdp_session(page)
    slow = {"offline": False, "latency": 1000, "downloadThroughput": -1, "uploadThroughput": -1}
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", slow)
    press(page, "Control+k")
    page.keyboard.type("elsa", delay=130)
    press(page, "Enter")
    expect(page.get_by_role("heading", name="Elsa Hedlund", level=1)).to_be_visible()
    network.send("Network.emulateNetworkConditions", {**slow, "latency": 0})
    network.detach()

    # Esc closes; g and a letter go, but not while one types.
    press(page, "Control+k")
    page.keyboard.type("gl")
    expect(field).to_have_value("gl")
    press(page, "Escape")
    expect(field).to_be_hidden()
    go_by_keys(page, "g", "l", address=re.compile("/leads$"))
    go_by_keys(page, "g", "h", address=re.compile(f"/c/{cast.company.pk}/?$"))
    expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()

    # ? shows the keys.
    press(page, "?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys.get_by_text("Select the row")).to_be_visible()
    press(page, "Escape")
    expect(keys).to_be_hidden()

    # The palette opens with the records of this browser, and finds settings by other words for them.
    press(page, "Control+k")
    expect(options.first).to_contain_text("Elsa Hedlund")
    expect(options.nth(1)).to_contain_text("Wei Hedlund")
    page.keyboard.type("blocklist", delay=15)
    expect(options).to_have_text([re.compile("Suppression list")])
    press(page, "Enter")
    expect(page).to_have_url(re.compile("/suppressions$"))
    context.close()
    assert troubles == []
