"""Words without blanks, as long as they may be, stay on the page at both widths, and so do the buttons beside them."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from crm.models import FollowUp
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory, LeadFactory, TagFactory
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
TOO_WIDE = """
() => [...document.querySelectorAll("main, main .scroll, main .body, main .card, main li")]
    .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className || one.tagName)
"""


def test_long_words_stay_on_the_page(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        TagFactory(name="G" * 100)
        ids = [ContactFactory(name="W" * 200).pk for _ in range(2)]
        lead = LeadFactory(contact=ContactFactory(name="W" * 200))
        FollowUp.objects.create(lead=lead, title="T" * 190, due_at=timezone.now(), assignee=cast.owner)
    assert cast.session.post("/contact/merge", {"ids": ids, "winner": ids[0]}).status == 200
    page.goto("/login")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_text("T" * 190)).to_be_visible()
    assert page.evaluate(TOO_WIDE) == []
    for path in ("contacts/merges", f"contacts/{ids[0]}", f"leads/{lead.pk}", "follow-ups", "outreach/new"):
        page.goto(f"/c/{cast.company.pk}/{path}")
        assert page.evaluate(TOO_WIDE) == [], path
    # What one types after N is the note, also where a call is being written.
    page.goto(f"/c/{cast.company.pk}/contacts/{ids[0]}?compose=call")
    page.keyboard.press("n")
    expect(page.get_by_label("Note", exact=True)).to_be_focused()
