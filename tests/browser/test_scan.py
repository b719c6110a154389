"""The journey of a card: connect a reader, take a photo, look the form over, save."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from crm.models import Contact
from outreach.connections.ocr.cards import Line
from outreach.connections.ocr.providers.ocr_space import OcrSpace
from tests.kit.cast import make_cast
from tests.outreach.helpers import work
from tests.web.helpers import PASSWORD, at

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

CARD = Path(__file__).parents[1] / "outreach" / "connections" / "ocr" / "data" / "card.png"
LINES = [
    Line("Bergmann & Söhne GmbH"),
    Line("Jürgen Möller", 0.99),
    Line("Mobil +49 151 23456789", 0.62),
    Line("juergen.moeller@bergmann-soehne.de", 0.98),
]


def test_a_card_becomes_a_contact(page: Page, live_server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OcrSpace, "read", lambda *_, **__: LINES)
    cast = make_cast()
    page.goto(at(cast.owner, "settings/storage"))
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Connect a reader").click()
    page.locator("#f-name").select_option(label="OCR.space")
    page.get_by_label("Key", exact=True).fill("K88canary93ab7f")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Test").click()
    expect(page.get_by_text("Test passed")).to_be_visible()

    page.goto(at(cast.owner, "contacts/new"))
    page.get_by_role("link", name="Scan a card").click()
    page.get_by_label("Photo of the card").set_input_files(CARD)
    page.get_by_role("button", name="Read the card").click()
    expect(page.get_by_text("Reading the card takes")).to_be_visible()
    work("card-scan")
    expect(page.get_by_text("Check the values before you save.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="Create contact").click()
    expect(page.locator("#f-name")).to_have_value("Jürgen Möller")
    expect(page.get_by_text("From the card, 98% sure.")).to_be_visible()
    expect(page.get_by_text("only 62% sure").first).to_be_visible()
    page.locator("#f-countryCode").fill("+49")
    page.locator("#f-number").fill("15123456789")
    page.get_by_role("button", name="Create contact").click()
    expect(page.get_by_role("heading", name="Jürgen Möller")).to_be_visible()
    with cast.scope():
        assert Contact.objects.get().email == "juergen.moeller@bergmann-soehne.de"
