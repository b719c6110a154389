"""The journey through tasks: new by the keyboard, completed by one click, undone."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from crm.models import FollowUp
from tests.kit.cast import make_cast
from tests.kit.factories import OrganizationFactory
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.mark.both_widths
def test_add_complete_and_undo(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        acme = OrganizationFactory(name="Acme").pk

    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    page.goto(f"/c/{cast.company.pk}/follow-ups")

    page.keyboard.press("c")
    page.locator("#f-title").fill("Call them")
    page.get_by_label("Due").fill("2090-05-06T10:00")
    for is_kept in (False, True):
        page.get_by_role("combobox", name="Record").fill("acm")
        expect(page.get_by_role("option", name="Acme")).to_be_visible()
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Remove Acme")).to_be_visible()
        if not is_kept:
            page.get_by_role("button", name="Remove Acme").click()
    expect(page.locator("#f-title")).to_have_value("Call them")
    page.locator("#f-title").press("Enter")
    expect(page.get_by_text("Task added")).to_be_visible()
    expect(page.get_by_role("heading", name="Later")).to_be_visible()

    page.get_by_role("button", name="Complete: Call them").click()
    expect(page.get_by_text("Task completed")).to_be_visible()
    expect(page.get_by_role("heading", name="Later")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="Later")).to_be_visible()
    with cast.scope():
        task = FollowUp.objects.get()
        assert (task.status, task.organization_id) == ("open", acme)

    page.get_by_role("button", name="Snooze: Call them").click()
    heights = page.locator("[popover]:popover-open button").evaluate_all("all => all.map(one => one.offsetHeight)")
    assert len(heights) == 3
    assert max(heights) < 50, "one line each"
