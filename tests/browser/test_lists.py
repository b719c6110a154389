"""Lists: the search among the fields of the filter menu, several values, and what stands beside the search."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from crm.models import ContactTag, CustomField
from tests.browser.axe import find_axe, violations
from tests.browser.conftest import press
from tests.crm.contacts.helpers import add_field
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory, OrganizationFactory, TagFactory
from tests.web.helpers import PASSWORD, at

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def enter(page: Page, cast: Cast, path: str) -> None:
    page.goto(at(cast.owner, path))
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


@pytest.mark.both_widths
def test_a_field_is_found_and_several_tags_are_chosen_by_keyboard(page: Page, live_server: Any) -> None:
    axe = find_axe()
    assert axe is not None
    cast = make_cast()
    with cast.scope():
        tags = [TagFactory(name=name) for name in ("Fair", "Press", "VIP")]
        for name, tag in zip(("Ann", "Ben", "Cleo"), tags, strict=True):
            ContactTag.objects.create(contact=ContactFactory(name=name), tag=tag)
    enter(page, cast, "contacts")
    menu = page.get_by_role("button", name="Filter", exact=True)
    menu.press("Enter")
    search = page.get_by_role("searchbox", name="Find a field")
    expect(search).to_be_focused()
    assert violations(page.context.new_cdp_session(page), axe) == []
    page.keyboard.type("ta")
    names = page.locator("#filter-menu summary").filter(visible=True)
    expect(names).to_have_text(["Tag"])
    page.keyboard.press("Enter")
    expect(names.first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(search).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(names.first).to_be_focused()
    page.get_by_label("Fair", exact=True).check()
    page.get_by_label("VIP", exact=True).check()
    assert violations(page.context.new_cdp_session(page), axe) == []
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("tr[data-row]")).to_have_count(2)
    expect(page.locator(".chip")).to_contain_text("is any of")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page.context.new_cdp_session(page), axe) == []


@pytest.mark.both_widths
def test_what_clears_a_search_stands_beside_it_and_follows_it(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        for name in ("Ann", "Ben"):
            ContactFactory(name=name)
    enter(page, cast, "contacts")
    clear = page.get_by_role("link", name="Clear", exact=True)
    expect(clear).to_have_count(0)
    box = page.get_by_role("searchbox").first
    page.locator("[data-htmx-powered]").first.wait_for(state="attached")  # the search listens from then on
    box.fill("ann")
    expect(page.locator("tr[data-row]")).to_have_count(1)
    expect(clear).to_be_visible()
    expect(box).to_be_focused()
    expect(page.get_by_role("button", name="Save view").first).to_be_visible()
    clear.click()
    expect(page.locator("tr[data-row]")).to_have_count(2)
    expect(clear).to_have_count(0)


def test_a_new_field_shows_the_options_of_its_type(page: Page, live_server: Any) -> None:
    cast = make_cast()
    enter(page, cast, "settings/fields/new")
    kind, options, values, parts = (page.locator(f"#f-{name}") for name in ("fieldType", "more", "holds", "parts"))
    for chosen, has_options, has_values in (
        ("text", False, True),
        ("select", True, False),
        ("multi-select", True, False),
        ("number", False, False),
        ("file", False, True),
        ("textarea", False, True),
    ):
        kind.select_option(chosen)
        expect(options).to_be_visible(visible=has_options)
        expect(values).to_be_visible(visible=has_values)
        expect(parts).to_be_hidden()
    values.select_option("array")
    expect(parts).to_be_visible()
    kind.select_option("radio")
    page.locator("#f-name").fill("Size")
    page.get_by_role("button", name="Save").click()
    # What is refused is in sight.
    expect(page.get_by_role("alert")).to_be_visible()
    expect(values).to_be_visible()


def test_pens_are_stops_of_tab_without_script_only(page: Page, browser: Any, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        ContactFactory(name="Ann")
    enter(page, cast, "contacts")
    expect(page.locator("tr .pen").first).to_be_attached()
    page.locator("tr .name").focus()
    press(page, "Tab")
    expect(page.locator("tr .pen:focus")).to_have_count(0)
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    plain = context.new_page()
    enter(plain, cast, "contacts")
    plain.locator("tr .name").focus()
    plain.keyboard.press("Tab")
    expect(plain.locator("tr .pen:focus")).to_have_count(1)
    plain.keyboard.press("Enter")
    expect(plain.get_by_role("button", name="Save")).to_be_visible()
    context.close()


def test_all_columns_of_leads_fit_at_1280(page: Page, live_server: Any) -> None:
    cast = make_cast()
    page.set_viewport_size({"width": 1280, "height": 800})
    with cast.scope():
        LeadFactory(contact=ContactFactory(name="Ann Example"))
    enter(page, cast, "leads?view=board")
    board = page.locator(".board")
    expect(board.locator(".column")).to_have_count(6)
    assert board.evaluate("board => board.scrollWidth <= board.clientWidth")


def test_all_columns_of_contacts_fit_at_1280(page: Page, live_server: Any) -> None:
    cast = make_cast()
    page.set_viewport_size({"width": 1280, "height": 800})
    with cast.scope():
        for number, (name, key) in enumerate((("Company", "company"), ("Job title", "jobTitle"), ("City", "city"))):
            add_field(key, order=100 + number)
            CustomField.objects.filter(unique_field_id=key).update(name=name)
        firm = OrganizationFactory(name="Northwind Office Supplies and Furniture")
        values = {"company": firm.name, "jobTitle": "Head of Facilities and Purchasing", "city": "San Francisco"}
        address = "camille.diallo-marchetti@northwind-office-supplies.example"
        camille = ContactFactory(name="Camille Diallo-Marchetti", email=address, organization=firm, custom=values)
        for tag in ("Trade fair", "Newsletter", "Key account"):
            ContactTag.objects.create(contact=camille, tag=TagFactory(name=tag))
    enter(page, cast, "contacts")
    expect(page.get_by_role("columnheader", name="Added")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Organization")).to_be_visible()
    scroll = page.locator(".scroll:has(.grid)")
    assert scroll.evaluate("scroll => scroll.scrollWidth <= scroll.clientWidth")
