"""The journey of a booking: hours and a page by a member, a time by a visitor, who moves and cancels it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from outreach.models import Booking, BookingPage
from outreach.site.booking import public
from tests.browser.axe import find_axe, violations
from tests.kit.cast import make_cast
from tests.web.helpers import PASSWORD, at

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_a_visitor_books_moves_and_cancels(
    page: Page, live_server: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    axe = find_axe()
    assert axe is not None
    monkeypatch.setattr(public, "TOO_FAST", timedelta(0))
    cast = make_cast()
    settings.BASE_URL = live_server.url
    page.goto(at(cast.owner, "booking/hours"))
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    for day in ("Saturday", "Sunday"):
        page.get_by_label(day).fill("09:00 – 12:00")
    page.get_by_role("button", name="Save hours").click()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    page.goto(at(cast.owner, "booking"))
    page.get_by_role("link", name="New booking page").first.click()
    page.locator("#f-name").fill("Größe – Café & Bar!")
    expect(page.locator("#f-slug")).to_have_value("grosse-cafe-bar")
    page.locator("#f-slug").fill("intro-call")
    page.locator("#f-name").fill("Intro")
    expect(page.locator("#f-slug")).to_have_value("intro-call")
    page.locator("#f-kind").select_option("offline")
    page.locator("#f-place").fill("Harbour Street 1")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_text("The page is open")).to_be_visible()
    assert violations(page.context.new_cdp_session(page), axe) == []
    page.get_by_role("link", name="Hours").click()
    for day in ("Monday", "Thursday"):
        page.get_by_label(day).fill("10-12, 13:30 – 17:00")
    assert violations(page.context.new_cdp_session(page), axe) == []
    page.get_by_role("button", name="Save hours").click()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    with cast.scope():
        own = BookingPage.objects.get()
        assert [(one["day"], one["from"]) for one in own.days] == [
            (1, "10:00"),
            (1, "13:30"),
            (4, "10:00"),
            (4, "13:30"),
        ]
    page.get_by_role("link", name="Questions").click()
    page.get_by_label("Question").fill("What is it about?")
    page.get_by_role("button", name="Add question").click()
    expect(page.get_by_text("What is it about?")).to_be_visible()
    with cast.scope():
        assert BookingPage.objects.get().slug == "intro-call"

    page.goto(f"{live_server.url}/book/intro-call")
    expect(page.get_by_text("Harbour Street 1")).to_be_visible()
    assert violations(page.context.new_cdp_session(page), axe) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator(".booking-slots a").nth(1).click()
    page.get_by_label("Your name").fill("Ann Ash")
    page.get_by_role("button", name="Book", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Enter a value.")
    assert violations(page.context.new_cdp_session(page), axe) == []
    page.get_by_label("Your email address").fill("ann@example.org")
    page.get_by_label("Your phone number").fill("+49 151 12345678")
    page.get_by_label("What is it about?").fill("Beans")
    page.get_by_role("button", name="Book", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Meeting booked")
    assert violations(page.context.new_cdp_session(page), axe) == []
    page.get_by_role("link", name="Choose another time").click()
    page.locator(".booking-slots a").first.click()
    expect(page.get_by_role("heading", name="Move the meeting?")).to_be_visible()
    assert violations(page.context.new_cdp_session(page), axe) == []
    page.get_by_role("button", name="Move", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Meeting moved")
    with cast.scope():
        booking = Booking.objects.select_related("meeting").get()
    assert (booking.answers, booking.meeting.sequence) == ({"what_is_it_about": "Beans"}, 1)
    page.get_by_label("Reason (optional)").fill("Ill")
    page.get_by_role("button", name="Cancel the meeting").click()
    expect(page.get_by_role("status")).to_contain_text("cancelled")
    page.goto(at(cast.owner, f"meetings/{booking.meeting_id}"))
    expect(page.get_by_role("heading", name="Booked by Ann Ash")).to_be_visible()
    expect(page.get_by_text("Ill", exact=True)).to_be_visible()
