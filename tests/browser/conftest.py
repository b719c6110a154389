"""A browser for the journeys, with every error in its console failing the test."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from zlib import crc32

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, TimeoutError, expect, sync_playwright

from tests.browser.chromium import find_chromium
from tests.kit.examples import walked

REFUSED_FORM = "the server responded with a status of 422"
"""What Chromium itself says of a form that was refused, as tests want it."""
WIDTHS = {1280: 800, 390: 844}
FOUND = find_chromium()
PATIENCE = 20_000
"""Milliseconds. A busy machine takes seconds for what a person sees at once; only a failing test waits this long."""
KEY_ATTEMPTS = 4
PLAIN_SCRIPTS = ["--js-flags=--no-opt --no-maglev"]
"""No page lives long enough to win back what optimizing its scripts takes: a sixth of the browser's CPU time."""
expect.set_options(timeout=PATIENCE)


def listen_to(page: Page) -> list[str]:
    """Return a list that each error in the page's console joins."""
    troubles: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type == "error" and REFUSED_FORM not in message.text:
            troubles.append(message.text)

    page.on("console", listen)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    return troubles


def press(page: Page, *keys: str) -> None:
    """Press keys as somebody does who sees the page whole: before that its scripts may not listen yet.

    Keys of one sequence are given together: the page waits 1.5 seconds for the second one, and no longer.
    """
    page.wait_for_load_state()
    page.locator("[data-htmx-powered]").first.wait_for(state="attached")  # htmx begins a moment after the page is there
    for key in keys:
        page.keyboard.press(key)


def go_by_keys(page: Page, *keys: str, address: re.Pattern[str]) -> None:
    """Press a sequence of keys that leads to another page, again where the page took the keys for separate ones.

    On a busy machine more than 1.5 seconds can pass between two keys that are pressed at once.
    """
    for _ in range(KEY_ATTEMPTS):
        press(page, *keys)
        with suppress(TimeoutError):
            page.wait_for_url(address, timeout=PATIENCE / KEY_ATTEMPTS)
            return
    raise AssertionError(f"{' '.join(keys)} leads nowhere from {page.url}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without a browser say so and go on; with NEEDS_BROWSER (make check) fail."""
    if FOUND is None and not os.environ.get("NEEDS_BROWSER"):
        reason = (
            "there is no Chromium: install one, name it with CHROMIUM=/path, or run python -m tests.browser.chromium"
        )
        for item in items:
            if "tests/browser/" in str(item.path):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    assert FOUND is not None, "there is no Chromium; run python -m tests.browser.chromium, or name one with CHROMIUM="
    # The driver runs an event loop in this thread, which Django takes for asynchronous code of the test.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=FOUND.path,
            args=[*FOUND.arguments, *PLAIN_SCRIPTS],
            env={**os.environ, **FOUND.environment},
        )
        yield launched
        launched.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Open each journey at one of the widths, in turn, and at the other in `make slow`.

    Those marked `both_widths` go another way on a phone, and are opened at both.
    """
    wanted = [one.args[0] for one in metafunc.definition.iter_markers("parametrize")]
    if "page" not in metafunc.fixturenames or "page" in wanted:
        return
    turn = crc32(metafunc.function.__name__.encode()) % len(WIDTHS)
    both = metafunc.definition.get_closest_marker("both_widths") is not None
    widths = walked(WIDTHS) if both else WIDTHS
    slow = {width for place, width in enumerate(WIDTHS) if place != turn and not both}
    cases = [pytest.param(one, marks=pytest.mark.slow if one in slow else (), id=f"{one}px") for one in widths]
    metafunc.parametrize("page", cases, indirect=True)


@pytest.fixture
def page(request: pytest.FixtureRequest, browser: Browser, live_server: Any) -> Iterator[Page]:
    """A page of a new visitor, wide and narrow."""
    width = request.param
    context = browser.new_context(
        base_url=live_server.url,
        viewport={"width": width, "height": WIDTHS[width]},
        has_touch=width < 760,
        color_scheme="dark" if width < 760 else "light",
    )
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE)
    troubles = listen_to(opened)
    yield opened
    context.close()
    assert troubles == []
