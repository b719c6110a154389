"""What log-in and the list of contacts weigh, on a slow line and a slow processor: the first time, and again."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.staticfiles import finders
from playwright.sync_api import Browser, BrowserContext, Error, Page, Response, expect

from tests.browser.conftest import listen_to
from tests.kit.cast import make_cast
from tests.kit.examples import in_make_check
from tests.kit.factories import ContactFactory
from tests.web.helpers import PASSWORD, at

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
SLOW_4G = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 94_000}
FIRST_VISIT, REPEATED_VISIT, TYPEFACE = 110_000, 12_000, 45_000
"""Bytes over the line. The typeface counts by itself: pages are read in the system's until it is there."""
REQUESTS = 8
STATIC, FONT = "/static/", ".woff2"


class Traffic:
    """What a page asks for. The server of tests compresses no static file, so that sizes are worked out as in
    production, where every file is compressed, and kept for good once it has come."""

    def __init__(self, page: Page) -> None:
        self.responses: list[Response] = []
        self.kept: set[str] = set()
        page.on("response", lambda response: self.responses.append(response))

    def read(self) -> tuple[int, int, int]:
        """Return the bytes without and of the typeface, and the number of requests, since the last time."""
        size = typeface = requests = 0
        for response in self.responses:
            path = urlsplit(response.url).path
            if path in self.kept:
                continue
            requests += 1
            if path.startswith(STATIC):
                self.kept.add(path)
                content = Path(str(finders.find(path.removeprefix(STATIC)))).read_bytes()
                typeface += len(content) if path.endswith(FONT) else 0
                size += 0 if path.endswith(FONT) else len(gzip.compress(content))
            elif response.ok:
                size += self._compressed(response)
        self.responses.clear()
        return size, typeface, requests

    @staticmethod
    def _compressed(response: Response) -> int:
        try:
            return len(gzip.compress(response.body()))
        except Error:  # the browser has thrown away what it navigated away from
            return int(response.headers.get("content-length", 0))


@pytest.fixture
def context(browser: Browser, live_server: Any) -> Iterator[BrowserContext]:
    """A context that is closed in any case: a slowed-down page keeps a processor busy."""
    made = browser.new_context(base_url=live_server.url, viewport={"width": 1280, "height": 800})
    yield made
    made.close()


@in_make_check
def test_a_slow_line_is_spared(context: BrowserContext) -> None:
    cast = make_cast()
    with cast.scope():
        ContactFactory.create_batch(60)
    page = context.new_page()
    page.set_default_timeout(60_000)
    debugger = context.new_cdp_session(page)
    debugger.send("Network.enable")
    debugger.send("Network.emulateNetworkConditions", SLOW_4G)
    troubles, traffic = listen_to(page), Traffic(page)
    contacts, begun = at(cast.owner, "contacts"), monotonic()

    page.goto(f"/login?next={contacts}", wait_until="networkidle")
    login = traffic.read()
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Contacts")).to_be_visible(timeout=60_000)
    expect(page.locator("#tray[hx-trigger^=load]")).to_have_count(0)
    page.wait_for_load_state("networkidle")
    first, entered = traffic.read(), monotonic()
    page.goto(contacts, wait_until="networkidle")
    expect(page.locator("#tray[hx-trigger^=load]")).to_have_count(0)
    again, ended = traffic.read(), monotonic()

    print(f"log-in {login}, contacts {first} in {entered - begun:.1f} s; again {again} in {ended - entered:.1f} s")
    assert troubles == []
    assert login[0] + first[0] <= FIRST_VISIT
    assert login[1] + first[1] <= TYPEFACE
    assert again[0] <= REPEATED_VISIT
    assert login[2] <= REQUESTS
    assert first[2] <= REQUESTS
    assert again[2] <= 2, "the page, and its tray a moment later"
