"""The page of a record: facts edited at their place by keys, parts as tabs on a phone, and sticky actions."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from crm.models import Contact, Lead
from tests.browser.conftest import press
from tests.browser.test_unsaved import log_in
from tests.crm.contacts.helpers import add_field
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory, LeadFactory, TagFactory
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.mark.both_widths
def test_a_fact_is_edited_at_its_place(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        add_field("motto")
        tag = TagFactory(name="Fair")
        contact = ContactFactory(name="Ann Lee", email="ann@example.org", custom={"motto": "Acme"})
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/contacts/{contact.pk}")
    press(page)
    facts = page.locator("#facts")

    # By keys: Enter opens, Escape gives the value back, Enter saves; the focus stays at the value.
    pen = facts.get_by_role("link", name="Edit motto")
    pen.focus()
    page.keyboard.press("Enter")
    field = facts.get_by_role("textbox", name="motto")
    expect(field).to_be_focused()
    page.keyboard.type("Nothing")
    page.keyboard.press("Escape")
    expect(facts).to_contain_text("Acme")
    expect(pen).to_be_focused()
    page.keyboard.press("Enter")
    expect(field).to_be_focused()
    page.keyboard.type("Lund & Co")
    page.keyboard.press("Enter")
    expect(facts).to_contain_text("Lund & Co")
    expect(pen).to_be_focused()
    expect(page.locator(".toast")).to_contain_text("Saved")

    # By a click on the value; a refusal stands at the field.
    facts.get_by_text("Ann Lee").click()
    name = facts.get_by_role("textbox", name="Name")
    expect(name).to_be_focused()
    page.keyboard.type("Ann Moss")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Ann Moss")).to_be_visible()
    facts.get_by_role("link", name="Edit Email").focus()
    page.keyboard.press("Enter")
    facts.get_by_role("textbox", name="Email").fill("nonsense")
    page.keyboard.press("Enter")
    expect(facts.get_by_role("textbox", name="Email")).to_have_attribute("aria-invalid", "true")
    page.keyboard.press("Escape")
    expect(facts.get_by_role("link", name="ann@example.org")).to_be_visible()

    # Tags are ticked.
    facts.get_by_role("link", name="Edit Tags").press("Enter")
    facts.get_by_role("checkbox", name="Fair").check()
    facts.get_by_role("button", name="Save").click()
    expect(facts.locator(".tag")).to_have_text("Fair")
    with cast.scope():
        saved = Contact.objects.get(pk=contact.pk)
        assert (saved.name, saved.email, saved.custom) == ("Ann Moss", "ann@example.org", {"motto": "Lund & Co"})
        assert [link.tag_id for link in saved.tag_links.all()] == [tag.pk]


@pytest.mark.both_widths
def test_the_parts_of_a_lead_are_columns_or_tabs(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        lead = LeadFactory(contact=ContactFactory(name="Ann Lee"), value=10)
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/leads/{lead.pk}")
    press(page)
    facts, history, related = (page.locator(f"#{name}") for name in ("facts", "history", "related"))
    tabs = page.get_by_role("navigation", name="Parts of this record")
    if (page.viewport_size or {"width": 0})["width"] > 760:
        expect(tabs).to_be_hidden()
        boxes = [part.bounding_box() for part in (facts, history, related)]
        widths = [round(box["width"]) for box in boxes if box]
        assert (widths[0], widths[2]) == (320, 300)
        assert len({box["y"] for box in boxes if box}) == 1, "the parts stand side by side"
        expect(related.get_by_role("link", name="Ann Lee")).to_be_visible()
    else:
        expect(facts).to_be_visible()
        expect(history).to_be_hidden()
        tabs.get_by_role("link", name="Related").click()
        expect(related.get_by_role("link", name="Ann Lee")).to_be_visible()
        expect(facts).to_be_hidden()
        expect(tabs.get_by_role("link", name="Related")).to_have_attribute("aria-current", "page")
        page.go_back()
        expect(facts).to_be_visible()

    # An action of the header opens its form, also on a phone.
    page.get_by_role("navigation", name="Actions").get_by_role("link", name="Task").click()
    expect(history.get_by_role("textbox", name="Task")).to_be_focused()
    page.keyboard.type("Send the offer")
    history.get_by_label("Due").fill("2030-01-02T09:30")
    history.get_by_role("button", name="Add task").click()
    expect(page.locator(".toast")).to_contain_text("Task added")
    if tabs.is_visible():
        tabs.get_by_role("link", name="Related").click()
    related.get_by_role("button", name="Complete: Send the offer").click()
    expect(page.locator(".toast")).to_contain_text("Task completed")


@pytest.mark.both_widths
def test_actions_of_a_long_form_stay_in_view(page: Page, live_server: Any) -> None:
    cast = make_cast()
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/senders/new")
    save = page.get_by_role("button", name="Save and test")
    expect(save).to_be_in_viewport(ratio=1)
    form = page.locator("form", has=save)
    width = form.bounding_box()
    assert width is not None
    assert width["width"] <= 880
    page.get_by_label("Messages per day").scroll_into_view_if_needed()
    expect(save).to_be_in_viewport(ratio=1)


def test_without_script_a_fact_has_a_page(browser: Browser, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        lead = LeadFactory(contact=ContactFactory(name="Ann Lee"), value=10)
    context = browser.new_context(
        base_url=live_server.url, java_script_enabled=False, viewport={"width": 390, "height": 844}
    )
    page = context.new_page()
    page.goto("/login")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.goto(f"/c/{cast.company.pk}/leads/{lead.pk}")
    page.get_by_role("link", name="Edit Value").click()
    page.get_by_label("Value").fill("25")
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(re.compile(rf"leads/{lead.pk}$"))
    expect(page.locator("#facts")).to_contain_text("$25.00")
    page.get_by_role("link", name="Related").click()
    page.get_by_role("link", name="Show related records").click()
    expect(page.get_by_role("heading", name="Related records")).to_be_visible()
    expect(page.get_by_role("link", name="Ann Lee")).to_be_visible()
    with cast.scope():
        assert Lead.objects.get(pk=lead.pk).value == 25
    context.close()
