"""The journey over the calendar: a meeting from an hour of the grid, moved by keys and by pointer, and one refused."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts.models import Company
from crm.models import Meeting
from tests.kit.cast import make_cast
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def drag(page: Page, event: Locator, slot: Locator) -> None:
    start, end = event.bounding_box(), slot.bounding_box()
    assert start is not None
    assert end is not None
    page.mouse.move(start["x"] + 20, start["y"] + 6)
    page.mouse.down()
    for part in range(1, 7):
        page.mouse.move(
            start["x"] + 20 + (end["x"] - start["x"]) * part / 6, start["y"] + 6 + (end["y"] - start["y"]) * part / 6
        )
    page.mouse.up()


def move_by_keys(page: Page, at: str) -> None:
    page.get_by_role("link", name="Move Offer to…").locator("visible=true").press("Enter")
    page.get_by_label("Day and time").fill(at)
    page.get_by_label("Day and time").press("Enter")


@pytest.mark.both_widths
def test_a_meeting_is_made_and_moved(page: Page, live_server: Any) -> None:
    cast = make_cast()
    Company.objects.filter(pk=cast.company.pk).update(timezone="Europe/Berlin")
    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    page.goto(f"/c/{cast.company.pk}/calendar?from=2030-05-06")

    grid = page.locator(".week")
    wide = grid.is_visible()
    if wide:
        page.get_by_role("link", name="New meeting: Monday 10:00").click()
        expect(page.get_by_label("Starts")).to_have_value("2030-05-06T10:00")
    else:  # small screens begin with the agenda
        page.get_by_role("link", name="New", exact=True).click()
        page.get_by_label("Starts").fill("2030-05-06T10:00")
    page.get_by_label("Title required").fill("Offer")
    page.get_by_role("button", name="Create meeting").click()
    expect(page.locator(".toast")).to_contain_text("Meeting created")

    move_by_keys(page, "2030-05-07T14:30")
    expect(page.locator(".toast")).to_contain_text("Moved to Tuesday 7 May 2030, 14:30")
    event = page.locator(".event", has_text="Offer")
    if not wide:
        day = page.get_by_role("region", name="Tuesday")
        expect(day.get_by_text("14:30–15:00")).to_be_visible()
        return
    expect(grid.locator('[data-place="2030-05-07T14:30"] .event')).to_contain_text("Offer")

    drag(page, event, grid.locator('[data-place="2030-05-08T09:00"]'))
    expect(page.locator(".toast")).to_contain_text("Moved to Wednesday 8 May 2030, 09:00")
    expect(grid.locator('[data-place="2030-05-08T09:00"] .event')).to_contain_text("Offer")

    # An hour that clocks skip: it goes back, and the reason is told.
    move_by_keys(page, "2030-03-31T02:30")
    expect(page.locator(".toast.bad")).to_contain_text("daylight saving")
    page.reload()
    expect(grid.locator('[data-place="2030-05-08T09:00"] .event')).to_contain_text("Offer")
    with cast.scope():
        assert Meeting.objects.get().starts_at.isoformat() == "2030-05-08T07:00:00+00:00"
