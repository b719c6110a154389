"""The back office in a real browser: no violation and no message on the console in both themes and widths; the search
finds records by the keyboard; times stand in the reader's zone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, expect

from accounts.models import Role, User
from crm.models import Contact, Import
from outreach.models import SendJob
from tests.browser.axe import find_axe, violations
from tests.browser.conftest import WIDTHS, listen_to
from tests.guards.backoffice_rows import MAKERS
from tests.kit.cast import Cast, make_cast

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
Look = tuple[Literal["light", "dark"], int]
LOOKS: list[Look] = [("light", 1280), ("dark", 390), ("dark", 1280), ("light", 390)]
MODELS = (Contact, Import, SendJob, Role)


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def enter(browser: Browser, url: str, theme: Literal["light", "dark"], width: int, **more: Any) -> BrowserContext:
    """A window in which a superuser has logged in."""
    client = Client()
    root, _ = User.objects.get_or_create(
        email="root@example.com", defaults={"name": "Root", "is_staff": True, "is_superuser": True}
    )
    client.force_login(root)
    context = browser.new_context(
        base_url=url, viewport={"width": width, "height": WIDTHS[width]}, color_scheme=theme, **more
    )
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": url}])
    return context


def test_pages_are_accessible(cast: Cast, browser: Browser, live_server: Any) -> None:
    """Each page in one look, in turn."""
    paths = list(made_pages(cast))
    found = []
    for number, look in enumerate(LOOKS):
        found += inspect(browser, live_server.url, paths[number :: len(LOOKS)], look)
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("look", LOOKS)
def test_pages_are_accessible_in_every_look(cast: Cast, browser: Browser, live_server: Any, look: Look) -> None:
    found = inspect(browser, live_server.url, list(made_pages(cast)), look)
    assert not found, "\n".join(found)


def made_pages(cast: Cast) -> Iterator[str]:
    """Make a record of each model. Yield the address of the overview, and of the list and the record of each."""
    yield reverse("admin:index")
    for model in MODELS:
        with cast.scope():
            row = MAKERS[model](1)
        name = f"admin:{row._meta.app_label}_{row._meta.model_name}"
        yield reverse(f"{name}_changelist")
        yield reverse(f"{name}_change", args=(row.pk,))


def inspect(browser: Browser, url: str, paths: list[str], look: Look) -> list[str]:
    """Open the pages. Return what is wrong, a line each."""
    theme, width = look
    axe = find_axe()
    assert axe is not None, "there is no axe-core: npm can't fetch it, and none was kept"
    context = enter(browser, url, theme, width)
    page = context.new_page()
    troubles = listen_to(page)
    debugger = context.new_cdp_session(page)
    found = []
    for path in paths:
        page.goto(path)
        wide = page.evaluate("document.documentElement.scrollWidth") - width
        found += [f"{path} ({theme}, {width} px): {one}" for one in violations(debugger, axe) + troubles]
        found += [f"{path} ({theme}) is {wide} px too wide for {width}"] if wide > 0 else []
        troubles.clear()
    context.close()
    return found


def test_a_record_is_found_by_the_keyboard_and_its_times_are_in_ones_own_zone(
    cast: Cast, browser: Browser, live_server: Any
) -> None:
    with cast.scope():
        contact = MAKERS[Contact](1)
        Contact.objects.filter(pk=contact.pk).update(name="Elsa Hedlund", created_at="2026-01-31T23:30:00Z")
    context = enter(browser, live_server.url, "light", 1280, timezone_id="Asia/Tokyo")
    page = context.new_page()
    page.goto(reverse("admin:index"))
    page.keyboard.press("t")
    page.keyboard.type("hedlund")
    expect(page.get_by_role("option", name="Elsa Hedlund")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{live_server.url}{reverse('admin:crm_contact_change', args=(contact.pk,))}")
    created = page.locator(".backoffice-summary time").last
    expect(created).to_have_attribute("title", re.compile(r"^Sunday,? 1 February 2026 at 08:30:00 GMT\+9$"))
    page.locator("#nav-filter").fill("nobody of this name")
    expect(page.get_by_text("Nothing found for “nobody of this name”.")).to_be_visible()
    context.close()


@pytest.mark.parametrize("query", ["", "?all=", "?q=Ai"])
def test_message_texts_fit_a_small_screen(cast: Cast, browser: Browser, live_server: Any, query: str) -> None:
    context = enter(browser, live_server.url, "light", 1280)
    page = context.new_page()
    page.goto(reverse("admin:core_responsemessage_changelist") + query)
    expect(page.locator("#result_list tbody tr").first).to_be_visible()
    hidden = page.evaluate(
        """() => {
            let hidden = 0;
            for (let box = document.querySelector("#result_list"); box; box = box.parentElement)
                if (["auto", "scroll"].includes(getComputedStyle(box).overflowX))
                    hidden = Math.max(hidden, box.scrollWidth - box.clientWidth);
            return hidden;
        }"""
    )
    right = page.evaluate("() => document.querySelector('#result_list').getBoundingClientRect().right - innerWidth")
    assert hidden == 0
    assert right <= 0
    context.close()


def test_a_person_is_found_from_the_overview(cast: Cast, browser: Browser, live_server: Any) -> None:
    context = enter(browser, live_server.url, "light", 1280)
    page = context.new_page()
    page.goto(reverse("admin:index"))
    page.get_by_label("Email, name or company").fill(cast.owner.email)
    page.keyboard.press("Enter")
    row = page.locator(".backoffice-section", has_text="Search people").locator("tbody tr")
    expect(row).to_have_count(1)
    row.get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(reverse("admin:accounts_user_change", args=(cast.owner.user_id,))))
    context.close()
