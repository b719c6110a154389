"""The journey through comments: a member is offered after an @, and finds the comment from the notice."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from crm.models import Comment
from tests.crm.comments.helpers import SEES_ALL, person
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def log_in(page: Page, email: str) -> None:
    page.context.clear_cookies()
    page.goto("/")
    page.get_by_label("Email address").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()


@pytest.mark.both_widths
def test_mention_edit_delete_and_undo(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        contact = ContactFactory(name="Ann Lee").pk
    bo = person(cast, "Bo Miller", {**SEES_ALL, "custom-field": {"GET": True}})
    person(cast, "Bo Ray")

    log_in(page, cast.owner.email)
    record = f"/c/{cast.company.pk}/contacts/{contact}"
    page.goto(f"{record}?compose=comment#history")
    field = page.get_by_role("textbox", name="Comment")
    field.press_sequentially("Look, @bo")
    options = page.get_by_role("option")
    expect(options).to_have_count(2)
    expect(options.first).to_have_attribute("aria-selected", "true")
    field.press("ArrowDown")
    expect(options.last).to_have_attribute("aria-selected", "true")
    field.press("Escape")
    expect(options).to_have_count(0)
    field.press_sequentially(" m")
    field.press("Backspace")
    field.press("Backspace")
    expect(options).to_have_count(2)
    field.press("Enter")
    expect(field).to_have_value("Look, @Bo Miller ")
    expect(options).to_have_count(0)
    field.press_sequentially("please")
    page.get_by_role("button", name="Add comment").click()
    expect(page.get_by_text("Comment added")).to_be_visible()
    expect(page.locator("#timeline strong")).to_have_text("@Bo Miller")

    page.locator("#timeline").get_by_role("link", name="Edit").click()
    page.get_by_role("textbox", name="Comment").fill("Look again, @Bo Miller")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Comment saved")).to_be_visible()
    page.locator("#timeline").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Comment deleted")).to_be_visible()
    expect(page.get_by_text("Look again")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Look again")).to_be_visible()

    log_in(page, bo.email)
    page.goto(f"/c/{cast.company.pk}/notifications")
    page.get_by_role("link", name="mentioned you in a comment").click()
    with cast.scope():
        comment = Comment.objects.get().pk
    expect(page).to_have_url(f"{live_server.url}{record}?comment={comment}#comment-{comment}")
    expect(page.locator(f"#comment-{comment}")).to_be_in_viewport()
