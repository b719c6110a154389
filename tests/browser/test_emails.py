"""The journey of an email to one person: from the contact's page, kept while it is written, sent, taken back."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from outreach.models import PersonalMail, SendJob
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory, SmtpFactory
from tests.web.helpers import PASSWORD, at

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.mark.both_widths
def test_an_email_is_written_in_a_panel_sent_and_taken_back(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        SmtpFactory()
        contact = ContactFactory(name="Ada Lovelace", email="ada@example.org", custom={})
    page.goto(at(cast.owner, f"contacts/{contact.pk}"))
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()

    page.get_by_role("button", name="Email", exact=True).click()
    panel = page.locator("#email-panel")
    expect(panel.get_by_text("ada@example.org")).to_be_visible()
    panel.get_by_label("Subject").fill("Hello {{contact.firstName}}")
    panel.get_by_label("Text").fill("Shall we talk")
    expect(panel.locator("#kept")).to_have_text("Draft saved")
    frame = panel.frame_locator("iframe[name=preview]").frame_locator("iframe")
    expect(frame.get_by_text("Shall we talk")).to_be_visible()
    with cast.scope():
        assert PersonalMail.objects.get().text == "Shall we talk"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    panel.get_by_label("Text").fill("Shall we talk on Monday?")
    panel.get_by_label("Text").press("Control+Enter")
    expect(page.get_by_text("Email sent", exact=True)).to_be_visible()
    with cast.scope():
        assert SendJob.objects.get().subject == "Hello Ada"
        assert PersonalMail.objects.count() == 1
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("It is in your drafts.")).to_be_visible()
    expect(page.get_by_label("Text")).to_have_value("Shall we talk on Monday?")
    expect(page).to_have_title("Email to Ada Lovelace · Email · " + cast.company.name)
