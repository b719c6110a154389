"""A contact is picked by keys while the rest of the form keeps what was typed."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from crm.models import Lead
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_a_contact_is_picked_by_keys(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        ContactFactory(name="Ann Lee", email="ann@example.org", custom={})
        bob = ContactFactory(name="Ann Ray", email="ray@example.org", custom={})
    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()

    page.goto(f"/c/{cast.company.pk}/leads/new")
    page.get_by_label("Notes").fill("Call first")
    search = page.get_by_role("combobox", name="Contact")
    search.press_sequentially("ann")
    expect(page.locator("#picker").get_by_role("option")).to_have_count(2)
    place = page.get_by_role("option", name="Ann Ray").get_attribute("aria-selected")
    if place != "true":
        search.press("ArrowDown")
    expect(page.get_by_role("option", name="Ann Ray")).to_have_attribute("aria-selected", "true")
    search.press("Enter")
    expect(page.get_by_role("button", name="Remove Ann Ray")).to_be_visible()
    expect(page.get_by_label("Country code")).to_be_hidden()
    page.get_by_role("button", name="Remove Ann Ray").click()
    expect(page.get_by_label("Country code")).to_be_visible()
    search.press_sequentially("ray@")
    page.get_by_role("option", name="Ann Ray").click()
    expect(page.get_by_role("button", name="Remove Ann Ray")).to_be_visible()
    expect(page.get_by_label("Notes")).to_have_value("Call first")
    page.get_by_role("button", name="Create lead").click()
    expect(page.get_by_text("Lead created")).to_be_visible()
    with cast.scope():
        assert Lead.objects.get().contact_id == bob.pk
