"""The question before typed text is lost: it comes with changes only, and never after saving."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.browser.conftest import press
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def log_in(page: Page, cast: Cast) -> None:
    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()


@pytest.mark.both_widths
def test_a_form_with_changes_is_not_left_by_accident(page: Page, live_server: Any) -> None:
    cast = make_cast()
    log_in(page, cast)
    home = f"/c/{cast.company.pk}"
    leads = page.get_by_role("navigation").filter(visible=True).get_by_role("link", name="Leads")
    dialog = page.get_by_role("dialog", name="Unsaved changes")

    # Without changes nothing is asked, and neither after a change that was taken back.
    page.goto(f"{home}/contacts/new")
    press(page)
    page.get_by_label("Name").fill("Ann")
    page.get_by_label("Name").fill("")
    leads.click()
    expect(page.get_by_role("heading", name="Leads", exact=True)).to_be_visible()

    # Stay keeps what was typed; Escape stays too.
    page.goto(f"{home}/contacts/new")
    press(page)
    page.get_by_label("Name").fill("Ann")
    leads.click()
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("button", name="Keep editing")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.get_by_label("Name")).to_have_value("Ann")

    # A refused form is asked about as well, since nothing of it is saved.
    page.get_by_label("Email").fill("nonsense")
    page.get_by_role("button", name="Create contact").click()
    expect(page.get_by_role("alert")).to_be_visible()
    press(page)
    leads.click()
    dialog.get_by_role("button", name="Keep editing").click()

    # A save asks nothing, and neither does what comes after it.
    page.get_by_label("Email").fill("ann@example.org")
    page.get_by_label("Country code").fill("+44")
    page.get_by_label("Phone number").fill("7400 123456")
    page.get_by_role("button", name="Create contact").click()
    expect(page.get_by_role("heading", name="Ann")).to_be_visible()
    leads.click()
    expect(page.get_by_role("heading", name="Leads", exact=True)).to_be_visible()

    # Leave leaves.
    page.goto(f"{home}/contacts/new")
    press(page)
    page.get_by_label("Name").fill("Bob")
    leads.click()
    dialog.get_by_role("button", name="Leave without saving").click()
    expect(page.get_by_role("heading", name="Leads", exact=True)).to_be_visible()


def test_a_refused_change_of_a_cell_is_asked_about(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        contact = ContactFactory(name="Ann Lee", email="ann@example.org")
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/contacts/{contact.pk}")
    page.get_by_role("link", name="Edit Email").or_(page.get_by_role("link", name="Change Email")).first.click()
    form = page.locator(".cell-form")
    form.get_by_role("textbox").fill("nonsense")
    form.get_by_role("button", name="Save").click()
    expect(form.locator(".trouble").first).to_be_visible()
    page.get_by_role("navigation").filter(visible=True).get_by_role("link", name="Leads").click()
    dialog = page.get_by_role("dialog", name="Unsaved changes")
    dialog.get_by_role("button", name="Keep editing").click()
    expect(form.get_by_role("textbox")).to_have_value("nonsense")


def test_the_browser_asks_when_the_page_is_closed(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        contact = ContactFactory(name="Ann Lee")
    log_in(page, cast)
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.goto(f"/c/{cast.company.pk}/contacts/{contact.pk}?edit")
    press(page)
    page.get_by_label("Name", exact=True).click()
    page.keyboard.type(" Moss")
    page.evaluate("setTimeout(() => location.assign('/account'))")
    page.wait_for_timeout(1000)
    assert asked == ["beforeunload"]
    expect(page.get_by_label("Name", exact=True)).to_have_value("Ann Lee Moss")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Ann Lee Moss")).to_be_visible()
    assert asked == ["beforeunload"], "nothing is asked after saving"
