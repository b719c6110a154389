"""The inbox by keys, on a wide screen and on a small one: the box to answer in is always in view."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from outreach.models import ChatApp, Conversation, ConversationMessage
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory
from tests.web.helpers import PASSWORD, at

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
EVIL = '"><img src=x onerror=alert(1)>'


@pytest.mark.both_widths
def test_the_inbox_is_worked_off_by_keys(page: Page, live_server: Any) -> None:
    cast, now = make_cast(), timezone.now()
    with cast.scope():
        app = ChatApp.objects.create(name="Acme", phone_number_id="1", waba_id="2", access_token="t")
        for n, name in enumerate((f"Ann {EVIL}", "Ben")):
            number = f"+491511234567{n}"
            contact = ContactFactory(name=name, country_code="+49", number=number[3:], contact_number=number)
            at_time = now - timedelta(minutes=n)
            place = {"chat_app": app, "contact": contact, "address": number, "last_text": "Hello"}
            talk = Conversation.objects.create(**place, unread=1, last_inbound_at=now, last_message_at=at_time)
            ConversationMessage.objects.bulk_create(
                ConversationMessage(
                    conversation=talk, direction="in", author="contact", text=f"Line {line} {EVIL}", happened_at=at_time
                )
                for line in range(40)
            )
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(at(cast.owner, "inbox"))
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
    page.wait_for_load_state("load")  # the keys are heard from then on
    page.keyboard.press("o")
    expect(page.get_by_role("heading", name="Ann")).to_be_visible()
    send = page.get_by_role("button", name="Send")
    expect(send).to_be_in_viewport()
    expect(page.get_by_text("Line 39").first).to_be_in_viewport()
    page.keyboard.press("r")
    page.keyboard.type("We are here.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Queued")).to_be_visible()
    page.keyboard.press("j")
    expect(page.get_by_role("heading", name="Ben")).to_be_visible()
    page.keyboard.press("s")
    page.get_by_role("button", name="For an hour").click()
    expect(page.get_by_text("Snoozed until the chosen time")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 800})
    expect(send).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.keyboard.press("e")
    expect(page.get_by_role("button", name="Reopen")).to_be_visible()
    page.keyboard.press("a")
    expect(page.get_by_role("heading", name="Assignment: Ben")).to_be_visible()
