"""The journey through contacts: log in, search, edit, delete many, undo."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Notification
from crm.models import Contact
from tests.browser.conftest import press
from tests.crm.bulk_jobs.helpers import work
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory, TagFactory
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.mark.both_widths
def test_search_edit_delete_and_undo(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        ContactFactory.create_batch(70)
        for name in ("Elsa Hedlund", "Wei Hedlund", "Ann Hedberg"):
            ContactFactory(name=name)
        Notification.objects.create(member=cast.owner, kind="import.finished", text="An import is done")

    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    page.get_by_role("navigation").filter(visible=True).get_by_role("link", name="Contacts").click()

    # Search as one types: the address follows, the focus stays, Back leads back.
    rows = page.locator("tr[data-row]")
    expect(rows).to_have_count(50)
    rows.last.scroll_into_view_if_needed()
    expect(rows).to_have_count(73)
    press(page, "/")
    box = page.get_by_role("searchbox")
    expect(box).to_be_focused()
    page.keyboard.type("hedl", delay=20)
    expect(rows).to_have_count(2)
    expect(page).to_have_url(re.compile(r"q=hedl$"))
    expect(box).to_be_focused()
    expect(page.locator("#list").get_by_role("status").last).to_have_text("2 contacts")

    # Edit one.
    page.get_by_role("link", name="Elsa Hedlund").click()
    expect(page.get_by_role("heading", name="Elsa Hedlund")).to_be_visible()
    page.get_by_role("link", name="Edit", exact=True).click()
    email = page.get_by_label("Email")
    email.fill("nonsense")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Email")
    expect(email).to_have_attribute("aria-invalid", "true")
    email.fill("elsa@example.org")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Contact saved")).to_be_visible()
    address = page.get_by_role("link", name="elsa@example.org")
    expect(address).to_be_visible()

    # Its undoing shows without loading the page again; what is being written stays.
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("Undoing a change")
    narrow = (page.viewport_size or {"width": 0})["width"] < 760
    if narrow:
        page.get_by_role("link", name="History").click()
    page.get_by_label("Note").fill("Half a note")
    with cast.scope():
        work()
    expect(address).to_have_count(0)
    expect(page.get_by_label("Note")).to_have_value("Half a note")

    # A field that somebody has made larger has a style of its own, which no other one may get from a swap.
    composer = page.locator("#composer")
    composer.get_by_label("Note").evaluate("field => { field.style.height = '200px' }")
    composer.get_by_role("link", name="Call").click()
    page.get_by_role("button", name="Leave without saving").click()
    expect(composer.get_by_role("button", name="Log call")).to_be_visible()

    # What is unread is seen at once, and the search is at hand, at both widths.
    expect(page.locator("#unread-more" if narrow else "#unread")).to_have_text(re.compile("1 unread"))
    if narrow:
        page.get_by_role("button", name="More").click()
        expect(page.locator("#more-menu").get_by_role("link", name="Notifications")).to_contain_text("1 unread")
        page.keyboard.press("Escape")
    if narrow:
        page.get_by_role("button", name="More").click()
    page.locator("#more-menu" if narrow else ".side").get_by_role("link", name="Search").click()
    expect(page.get_by_role("combobox", name="Search records")).to_be_focused()
    page.keyboard.press("Escape")

    # Delete all that match, and undo it.
    page.goto(f"/c/{cast.company.pk}/contacts?q=hedl")
    page.get_by_label("Select Wei Hedlund").check()
    expect(page.get_by_text("1 selected")).to_be_visible()
    page.get_by_label("All 2 that match").check()
    expect(page.get_by_text("2 selected")).to_be_visible()
    end = page.locator(".list-end").bounding_box()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Deleted 2 contacts")).to_be_visible()
    expect(page.get_by_role("heading", name="No contacts match")).to_be_visible()
    toast = page.locator(".toast").bounding_box()
    assert toast is not None
    assert end is not None
    now = page.locator(".list-end").bounding_box()
    assert now is not None
    assert now["y"] + now["height"] == end["y"] + end["height"], "the toast moves the page"
    assert toast["y"] + toast["height"] <= now["y"], "the toast covers the end of the list"
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("Undoing a change")
    with cast.scope():
        work()
    expect(page.locator(".toast")).to_contain_text("Undid a change: 2 contacts")
    expect(rows).to_have_count(2)
    with cast.scope():
        assert Contact.objects.filter(is_deleted=False, name__contains="Hedlund").count() == 2


def test_without_script_everything_works(browser: Any, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        ContactFactory.create_batch(60)
        ContactFactory(name="Elsa Hedlund")
        tag = TagFactory(name="Fair")
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/login")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Contacts").first.click()
    page.get_by_role("link", name="Show more").click()
    expect(page.locator("tr[data-row]")).to_have_count(11)
    page.get_by_role("searchbox").fill("hedlund")
    page.keyboard.press("Enter")
    expect(page.locator("tr[data-row]")).to_have_count(1)
    page.get_by_label("Select Elsa Hedlund").check()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Deleted 1 contact")).to_be_visible()
    page.goto(f"/c/{cast.company.pk}/tags/{tag.pk}")  # what a dialog asks stands on the page, once
    expect(page.get_by_role("heading", name="Delete")).to_have_count(1)
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Tag deleted")).to_be_visible()
    context.close()
