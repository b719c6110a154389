"""Every page of the URL map, looked at by axe-core in both themes and widths, with an empty console."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from playwright.sync_api import Browser

from config.urls.web import PAGES
from tests.browser.axe import find_axe, violations
from tests.browser.conftest import WIDTHS, listen_to
from tests.kit.examples import in_make_check
from tests.web.world import FRAMED, World, address, make_world

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
Look = tuple[Literal["light", "dark"], int]
LOOKS: list[Look] = [("light", 1280), ("dark", 390), ("light", 390), ("dark", 1280)]
NOWHERE = "/nothing"
PLAIN = ["/login", "/register", "/forgot-password", "/resend-verification", "/licences", NOWHERE]
"""Pages without a session."""
NOT_FOUND = "the server responded with a status of 404"


@pytest.fixture(scope="session")
def axe() -> str:
    found = find_axe()
    assert found is not None, "there is no axe-core: npm can't fetch it, and none was kept"
    return found


@pytest.fixture
def world() -> World:
    return make_world()


@in_make_check
def test_every_page_is_accessible(world: World, browser: Browser, live_server: Any, axe: str) -> None:
    """Each page in one look, in turn."""
    found = []
    for number, look in enumerate(LOOKS):
        found += inspect(browser, live_server.url, world, axe, look, slice(number, None, len(LOOKS)))
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("look", LOOKS)
def test_every_page_in_every_look(world: World, browser: Browser, live_server: Any, axe: str, look: Look) -> None:
    found = inspect(browser, live_server.url, world, axe, look)
    assert not found, "\n".join(found)


def inspect(browser: Browser, url: str, world: World, axe: str, look: Look, part: slice = slice(None)) -> list[str]:
    """Open the pages one after the other, those without a session first. Returns what is wrong, a line each."""
    theme, width = look
    context = browser.new_context(
        base_url=url, viewport={"width": width, "height": WIDTHS[width]}, has_touch=width < 760, color_scheme=theme
    )
    page = context.new_page()
    troubles = listen_to(page)
    debugger = context.new_cdp_session(page)
    found: list[str] = []

    def open_all(paths: list[str]) -> None:
        for path in paths:
            page.goto(path)
            if path == NOWHERE:
                troubles[:] = [one for one in troubles if NOT_FOUND not in one]
            found.extend(f"{path} ({theme}, {width} px): {one}" for one in violations(debugger, axe) + troubles)
            troubles.clear()

    open_all(PLAIN[part])
    session = world.clients["Owner"].cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": url}])
    open_all([address(world, one) for one in PAGES if one.name not in FRAMED][part])
    context.close()
    return found
