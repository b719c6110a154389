"""The journey over the board of leads: move by mouse, by finger, by keys; a move that is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts.models import CompanySettings
from crm.models import Lead, LostReason, Stage
from crm.pipelines.services import StageInput, create_pipeline
from tests.crm.bulk_jobs.helpers import work
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory, LeadFactory
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def drag(page: Page, card: Locator, column: Locator) -> None:
    """Take the card to the column, by finger where there is one."""
    card.scroll_into_view_if_needed()
    touch = page.evaluate("navigator.maxTouchPoints") > 0
    start, end = (card.locator(".grip") if touch else card).bounding_box(), column.bounding_box()
    assert start is not None
    assert end is not None
    x, y = start["x"] + start["width"] / 2, start["y"] + start["height"] / 2
    steps = [(x + (end["x"] + 24 - x) * part / 8, y + 8 * part) for part in range(1, 9)]
    if not touch:
        page.mouse.move(x, y)
        page.mouse.down()
        for step in steps:
            page.mouse.move(*step)
        page.mouse.up()
        return
    session = page.context.new_cdp_session(page)
    send = "Input.dispatchTouchEvent"
    session.send(send, {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for left, top in steps:
        session.send(send, {"type": "touchMove", "touchPoints": [{"x": left, "y": top}]})
    session.send(send, {"type": "touchEnd", "touchPoints": []})


def test_cards_are_moved_and_snap_back(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        CompanySettings.objects.update_or_create(defaults={"duplicate_leads": "refuse"})
        ann, bob = ContactFactory(name="Ann Lee"), ContactFactory(name="Bob Ray")
        moving = LeadFactory(contact=ann, value=10)
        LeadFactory(contact=bob, status="contacted")
        LeadFactory(contact=bob, status="lost")

    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    page.goto(f"/c/{cast.company.pk}/leads?view=board")
    column = {name: page.get_by_role("region", name=name, exact=True) for name in ("New", "Contacted", "Won")}
    expect(column["New"].locator(".column-head")).to_contain_text("$10")

    # By hand: the card stays, the heads count anew, and it is so after a reload.
    drag(page, column["New"].locator(".lead-card"), column["Contacted"])
    expect(page.locator(".toast")).to_contain_text("Moved to Contacted")
    expect(column["Contacted"].locator(".lead-card")).to_have_count(2)
    expect(column["Contacted"].locator(".column-head")).to_have_text(re.compile(r"Contacted\s*2\s*\$10"))
    page.reload()
    expect(column["Contacted"].locator(".lead-card")).to_have_count(2)

    # By keys.
    page.get_by_role("link", name="Move the lead of Ann Lee").press("Enter")
    page.get_by_role("button", name="Won").press("Enter")
    expect(page.locator(".toast")).to_contain_text("Moved to Won")
    expect(column["Won"].get_by_role("link", name="Ann Lee", exact=True)).to_be_visible()
    with cast.scope():
        assert Lead.objects.get(pk=moving.pk).status == "won"

    # Bob's lost lead may not open again beside the open one: it goes back, and the reason is told.
    lost = page.get_by_role("region", name="Lost", exact=True)
    lost.get_by_role("link", name="Move the lead of Bob Ray").press("Enter")
    page.get_by_role("button", name="New", exact=True).press("Enter")
    expect(page.locator(".toast.bad")).to_be_visible()
    expect(lost.get_by_role("link", name="Bob Ray", exact=True)).to_be_visible()
    expect(column["New"].locator(".lead-card")).to_have_count(0)


def test_a_lost_stage_asks_for_the_reason(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        stages = (StageInput("Asked"), StageInput("Gone", kind="lost"), StageInput("Ordered", kind="won"))
        pipeline = create_pipeline(actor_id=cast.owner.pk, name="Wholesale", stages=stages)
        stage = Stage.objects.get(pipeline=pipeline, name="Asked")
        moving = LeadFactory(contact=ContactFactory(name="Ann Lee"), value=10, pipeline=pipeline, stage=stage)
        reason = LostReason.objects.create(name="Price")

    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    page.goto(f"/c/{cast.company.pk}/leads?view=board")
    page.get_by_role("link", name="Wholesale").click()
    new, lost = (page.get_by_role("region", name=name, exact=True) for name in ("Asked", "Gone"))
    # A drop on a lost stage asks for the reason, and Escape leaves the card where it was.
    drag(page, new.locator(".lead-card"), lost)
    menu = page.locator("#ask").get_by_label("Reason for loss")
    expect(menu).to_be_focused()
    expect(page.locator("#ask")).to_contain_text("Ann Lee")
    page.keyboard.press("Escape")
    expect(new.locator(".lead-card")).to_have_count(1)
    drag(page, new.locator(".lead-card"), lost)
    menu.select_option("Price")
    page.get_by_role("button", name="Mark as lost").press("Enter")
    expect(page.locator(".toast").last).to_contain_text("Moved to Gone")
    expect(lost.locator(".lead-card")).to_have_count(1)
    with cast.scope():
        assert Lead.objects.get(pk=moving.pk).lost_reason_id == reason.pk

    # The menu asks, too, and a reason is not required.
    page.get_by_role("link", name="Move the lead of Ann Lee").press("Enter")
    page.get_by_role("button", name="Asked", exact=True).press("Enter")
    expect(new.locator(".lead-card")).to_have_count(1)
    expect(page.locator(".toast").last).to_contain_text("Moved to Asked")
    page.get_by_role("link", name="Move the lead of Ann Lee").press("Enter")
    page.get_by_role("button", name="Gone", exact=True).click()
    expect(menu).to_be_focused()
    page.get_by_role("button", name="Mark as lost").click()
    expect(lost.locator(".lead-card")).to_have_count(1)
    expect(page.locator(".toast").last).to_contain_text("Moved to Gone")
    with cast.scope():
        assert Lead.objects.get(pk=moving.pk).lost_reason_id is None


def test_an_edited_stage_shows_everywhere_and_asks_for_the_reason(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        CompanySettings.objects.update_or_create(defaults={"lost_reason_required": True})
        LostReason.objects.create(name="Price")
        lead = LeadFactory(contact=ContactFactory(name="Ann Lee"), value=10)
    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    page.goto(f"/c/{cast.company.pk}/leads/{lead.pk}")
    facts, header, move = page.locator("#facts"), page.locator("header #stage"), page.locator("#status select")
    expect(header).to_have_text("New")
    facts.get_by_role("link", name="Edit Stage").click()
    cell = facts.locator(".cell-form")
    cell.get_by_label("Stage").select_option("Lost")
    reason = cell.get_by_label("Reason for loss")
    # Only the label of the first field is hidden, as the fact says what it is.
    expect(cell.locator("label", has_text="Stage")).to_have_css("position", "absolute")
    expect(cell.locator("label", has_text="Reason for loss")).to_have_css("position", "static")
    cell.get_by_role("button", name="Save").click()
    expect(cell).to_contain_text("Choose a reason for loss.")
    expect(reason).to_be_focused()
    reason.select_option("Price")
    cell.get_by_role("button", name="Save").click()
    expect(header).to_have_text("Lost")
    expect(move.locator("option:checked")).to_have_text("Lost")
    expect(facts.locator("[id='fact-stage']")).to_contain_text("Lost")
    expect(facts.locator("[id='fact-lostReason']")).to_contain_text("Price")
    expect(facts.get_by_role("link", name="Edit Stage")).to_be_focused()
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator(".toast").last).to_contain_text("Undoing a change")
    with cast.scope():
        work()
    expect(header).to_have_text("New")
    expect(move.locator("option:checked")).to_have_text("New")
    expect(facts.locator("[id='fact-stage']")).to_contain_text("New")


def test_a_board_shows_that_it_goes_on(page: Page, live_server: Any) -> None:
    cast = make_cast()
    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    page.set_viewport_size({"width": 900, "height": 800})
    page.goto(f"/c/{cast.company.pk}/leads?view=board")
    shadow = "value => getComputedStyle(document.querySelector('.board'), '::after').opacity === value"
    page.wait_for_function(shadow, arg="1")
    page.locator(".board").evaluate("board => board.scrollTo({left: board.scrollWidth, behavior: 'instant'})")
    page.wait_for_function(shadow, arg="0")
    page.set_viewport_size({"width": 1600, "height": 800})
    page.wait_for_function(
        "() => { const b = document.querySelector('.board'); return b.scrollWidth <= b.clientWidth }"
    )
    page.wait_for_function(shadow, arg="0")
