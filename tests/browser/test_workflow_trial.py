"""A workflow tried with a real record, and its trigger found by a search, in a browser."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_workflows import log_in
from tests.kit.cast import make_cast
from tests.workflows.helpers import contact, edges, node

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.mark.both_widths
def test_a_trigger_is_found_by_its_usual_name_and_a_record_by_a_search(page: Page, live_server: Any) -> None:
    cast = make_cast()
    contact(cast)
    for place in range(6):
        contact(cast, name=f"Other {place}", email=f"other{place}@example.org", number=f"15123456{place:02}")
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/workflows/new")
    search = page.get_by_label("Search this list")
    trigger = page.get_by_label("Trigger")
    search.fill("paid")
    expect(trigger.locator("option:not([hidden])")).to_have_text(["An invoice is paid"])
    search.fill("no such thing")
    expect(page.get_by_text("Nothing found")).to_be_visible()
    expect(trigger).to_have_value("contact.created")
    search.fill("signup")
    search.press("Enter")
    expect(trigger).to_have_value("form.submitted")
    expect(trigger).to_be_focused()
    expect(search).to_have_value("")
    search.fill("new contact")
    search.press("ArrowDown")
    expect(trigger).to_have_value("contact.created")
    trigger.press("Enter")
    expect(search).to_have_value("")
    body = {
        "name": "Welcome",
        "triggerEventType": "contact.created",
        "nodes": [node("trigger", "trigger"), node("s", "set", {"values": {"text": "Hello {{ contact.name }}"}})],
        "edges": edges("trigger > s"),
    }
    id = cast.key.post("/workflow", body).data["_id"]
    page.goto(f"/c/{cast.company.pk}/workflows/{id}/test")
    records = page.locator("#records")
    expect(records.get_by_text("Other 5")).to_be_visible()
    expect(records.get_by_text("Ann Example")).to_have_count(0)
    page.get_by_label("Find a record").fill("ann")
    records.get_by_label("Ann Example").check()
    page.locator("button[value=try]").click()
    expect(page.get_by_role("heading", name="Completed · Ann Example")).to_be_visible()
    expect(page.get_by_text("Hello Ann Example").first).to_be_attached()
