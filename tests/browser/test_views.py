"""The journey through a list of one's own: filter, save as a view, choose a column, change a value at its place."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from crm.models import Contact
from tests.browser.conftest import press
from tests.crm.contacts.helpers import add_field
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("page", [1280], indirect=True)
def test_a_view_is_saved_and_a_value_changed_in_it(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        add_field("city")
        for name, email in (
            ("Elsa Hedlund", "elsa@north.example"),
            ("Wei Chen", "wei@north.example"),
            ("Ann", "a@b.example"),
        ):
            ContactFactory(name=name, email=email, owner=cast.owner if name == "Ann" else None)

    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    page.goto(f"/c/{cast.company.pk}/contacts")
    rows = page.locator("tr[data-row]")
    expect(rows).to_have_count(3)

    # Filter, and save the list as it is.
    page.get_by_role("button", name="Filter").click()
    page.locator("summary", has_text=re.compile("^Email$")).click()
    page.get_by_label("Email", exact=True).fill("north")
    page.get_by_role("button", name="Add").click()
    expect(rows).to_have_count(2)
    page.get_by_role("button", name="Save view").click()
    page.get_by_label("Name of the new view").fill("North")
    page.get_by_label("Name of the new view").press("Enter")
    expect(page).to_have_url(re.compile(r"\?saved=[0-9a-f]{24}$"))
    opened = page.url

    # It opens by its tab, from all.
    tabs = page.get_by_role("navigation", name="Saved views")
    tabs.get_by_role("link", name="All").click()
    expect(rows).to_have_count(3)
    tabs.get_by_role("link", name="Mine").click()
    expect(rows).to_have_count(1)
    expect(tabs.get_by_role("link", name="Mine")).to_have_attribute("aria-current", "page")
    page.reload()
    tabs.get_by_role("link", name="North").click()
    expect(page).to_have_url(opened)
    expect(rows).to_have_count(2)

    # Choose a column, by keys, and keep it in the view.
    page.get_by_role("link", name="Columns").click()
    page.get_by_role("checkbox", name="Category").check()
    up = page.get_by_label("Move Category left")
    up.focus()
    press(page, "Enter")
    expect(page.locator("#column-lines li").nth(2)).to_contain_text("city")
    page.get_by_role("button", name="Show columns").click()
    expect(page.get_by_role("columnheader", name="Category")).to_be_visible()
    page.get_by_role("button", name="Save to “North”").click()
    expect(page).to_have_url(opened)
    expect(page.get_by_role("columnheader", name="Category")).to_be_visible()

    # Change values at their place: by the mouse, refused and mended, by keys, and not at all.
    row = page.get_by_role("row", name=re.compile("Elsa"))
    row.get_by_role("cell", name="elsa@north.example").dblclick()
    field = row.get_by_label("Email")
    expect(field).to_be_focused()
    field.fill("nonsense")
    field.press("Enter")
    expect(row.locator(".trouble")).to_be_visible()
    field.fill("hedlund@north.example")
    field.press("Enter")
    expect(row.get_by_role("cell", name="hedlund@north.example")).to_be_visible()
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    row.focus()
    press(page, "e")
    press(page, "Enter")
    expect(row.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.type("Elsa May")
    press(page, "Escape")
    expect(row.get_by_role("link", name="Elsa Hedlund")).to_be_visible()
    with cast.scope():
        assert Contact.objects.get(email="hedlund@north.example").name == "Elsa Hedlund"
