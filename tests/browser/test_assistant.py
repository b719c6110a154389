"""The assistant by keys, wide and small: a question, its answer as soon as it is there, and where it comes from. And a
brand that is seen while it is typed."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from outreach.models import AiApp
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory
from tests.outreach.helpers import work
from tests.web.helpers import PASSWORD, at

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
EVIL = '"><img src=x onerror=alert(1)>'


def enter(page: Page, cast: Cast, place: str) -> None:
    page.goto(at(cast.owner, place))
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


@pytest.mark.both_widths
def test_a_question_is_asked_and_answered(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        AiApp.objects.create(provider="offline-composer", name="Offline", is_default=True)
        LeadFactory(status="won", value=700, contact=ContactFactory(name=f"Ann {EVIL} {'x' * 60}"))
    enter(page, cast, "assistant")
    expect(page.get_by_role("heading", name="Assistant", exact=True)).to_be_visible()
    page.wait_for_load_state("load")  # the keys are heard from then on
    page.keyboard.press("r")
    page.keyboard.type("The 3 biggest won deals")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Answering…")).to_be_visible()
    work("crm-chat")
    answer = page.get_by_role("log").get_by_text("There is 1 lead where status is won")
    expect(answer).to_be_visible()  # without a press: the page asks again by itself
    expect(page.get_by_text("Answering…")).to_be_hidden()
    page.get_by_text("Sources").click()
    expect(page.get_by_role("link", name="Leads", exact=True).last).to_be_visible()
    expect(page.get_by_role("button", name="Ask")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("log").get_by_role("link", name="Ann").first.click()
    expect(page.get_by_role("heading", name="Ann").first).to_be_visible()


def test_a_brand_is_seen_while_it_is_typed(page: Page, live_server: Any) -> None:
    cast = make_cast()
    enter(page, cast, "settings/brand")
    frame = page.frame_locator("iframe[name=preview]")
    page.get_by_label("Name", exact=True).fill(f"Acme {EVIL}")
    expect(frame.get_by_text(f"Acme {EVIL}").first).to_be_visible()
    page.get_by_label("Color", exact=True).fill("#ffee00")
    expect(frame.get_by_role("alert")).to_contain_text("contrast of 1.08")
    page.get_by_label("Color", exact=True).fill("#7c3aed")
    expect(frame.get_by_text("Contrast: 5.1")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    expect(page).to_have_title(f"Branding · Acme {EVIL}")
    page.mouse.move(0, 0)  # a button has another colour below the pointer
    expect(page.get_by_role("button", name="Save")).to_have_css("background-color", "rgb(124, 58, 237)")
