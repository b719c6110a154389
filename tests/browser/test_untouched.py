"""A save in a real browser changes what was touched: a date input drops a time, a one-line input joins lines."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Company
from crm.models import Contact
from tests.browser.conftest import press
from tests.crm.contacts.helpers import add_field
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
STORED = {
    "create_date": "2024-05-01T09:12:00.000Z",
    "seen": "2026-10-25T01:30:00.000Z",
    "precise": "2024-05-01T09:12:34.500Z",
    "motto": "One\nTwo",
    "mail": "info@müller.example",
    "site": "https://example.org/a b".replace(" ", "%20"),
    "big": 1e19,
    "small": 1e-7,
    "colour": "gone",
    "more": {"plan": "Gold"},
    "text": "a\r\nb",
}


@pytest.mark.both_widths
def test_a_save_keeps_times_lines_and_options(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        Company.objects.filter(pk=cast.company.pk).update(timezone="Europe/Berlin")
        add_field("create_date", "date", "date")
        add_field("seen", "datetime", "date")
        add_field("precise", "datetime", "date")
        add_field("motto")
        add_field("mail", "email")
        add_field("site", "url")
        add_field("big", "number", "number")
        add_field("small", "number", "number")
        add_field("colour", "select", options=["red"], required=True)
        add_field("more", "text", "any")
        add_field("text", "textarea")
        contact = ContactFactory(name="Ada Fern", custom=STORED)

    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    address = f"/c/{cast.company.pk}/contacts/{contact.pk}"
    page.goto(f"{address}?edit")
    expect(page.get_by_label("create_date")).to_have_value("2024-05-01T11:12")
    page.get_by_label("Name", exact=True).fill("Ada Moss")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Ada Moss")).to_be_visible()
    expect(page.get_by_text("1 May 2024, 11:12", exact=True).first).to_be_visible()
    with cast.scope():
        assert Contact.objects.get(pk=contact.pk).custom == STORED

    # A time is edited, and only that.
    page.goto(f"{address}?edit")
    page.get_by_label("seen").fill("2026-10-25T02:45")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("25 Oct 2026, 02:45")).to_be_visible()
    with cast.scope():
        assert Contact.objects.get(pk=contact.pk).custom == STORED | {"seen": "2026-10-25T01:45:00.000Z"}

    # In the table: opened by a double click and saved by Enter as it stood.
    if (page.viewport_size or {"width": 0})["width"] > 760:
        page.goto(f"/c/{cast.company.pk}/contacts?columns=create_date,precise")
        press(page)
        row = page.get_by_role("row", name="Ada Moss")
        row.get_by_role("cell", name="1 May 2024, 11:12").first.dblclick()
        field = row.get_by_label("create_date", exact=True)
        expect(field).to_be_focused()
        field.press("Enter")
        expect(field).to_have_count(0)
        expect(row.get_by_role("cell", name="1 May 2024, 11:12").first).to_be_visible()
        with cast.scope():
            assert Contact.objects.get(pk=contact.pk).custom["create_date"] == STORED["create_date"]
