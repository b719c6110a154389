"""The journey through organizations: new, edit at its place, and the name in a contact's form."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from crm.models import Contact, Organization
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory, OrganizationFactory
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.mark.both_widths
def test_new_edit_and_pick(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        ann = ContactFactory(name="Ann Lee")
        OrganizationFactory(name="Beta Works")

    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    page.get_by_role("navigation").filter(visible=True).get_by_role("link", name="Contacts").click()
    page.get_by_role("link", name="Organizations").click()
    expect(page.get_by_role("heading", name="Organizations")).to_be_visible()

    page.get_by_role("link", name="New organization").click()
    page.get_by_label("Name").fill("Acme")
    page.get_by_label("Domain").fill("https://www.acme.test/")
    page.get_by_role("button", name="Create organization").click()
    expect(page.get_by_role("heading", name="Acme")).to_be_visible()

    # A fact is edited at its place.
    facts = page.locator("#facts")
    details = page.get_by_role("link", name="Details")
    if details.count() and details.first.is_visible():
        details.first.click()
    expect(facts).to_contain_text("acme.test")
    facts.get_by_role("link", name="Edit Domain").click()
    box = facts.get_by_role("textbox", name="Domain")
    box.fill("acme.example")
    box.press("Enter")
    expect(facts).to_contain_text("acme.example")

    # The form of a contact suggests names as one types.
    page.goto(f"/c/{cast.company.pk}/contacts/{ann.pk}?edit")
    field = page.locator('input[name="organization"]')
    field.press_sequentially("bet", delay=20)
    expect(page.locator("#organization-names option")).to_have_attribute("value", "Beta Works")
    field.fill("Beta Works")
    with cast.scope():
        Contact.objects.filter(pk=ann.pk).update(country_code="+44", number="7400123456")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Ann Lee")).to_be_visible()
    expect(page.locator("#facts")).to_contain_text("Beta Works")
    with cast.scope():
        assert Organization.objects.count() == 2
        assert Contact.objects.get(pk=ann.pk).organization is not None
