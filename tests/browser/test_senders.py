"""The journey of a mail vendor: connect, copy the address for its events, test."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.kit.cast import make_cast
from tests.kit.mail_vendors import KEY, vendor_server
from tests.web.helpers import PASSWORD, at

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_a_vendor_is_connected_and_tested(page: Page, live_server: Any, settings: Any) -> None:
    cast = make_cast()
    with vendor_server() as vendors:
        settings.VENDOR_BASE_URLS = {"mailersend": vendors.be("mailersend").url}
        settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8"]
        page.goto(at(cast.owner, "senders/new"))
        page.get_by_label("E-mail address").fill(cast.owner.email)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("link", name="MailerSend").click()
        page.get_by_label("From name").fill("Dana of Acme")
        page.get_by_label("From address").fill("dana@example.org")
        page.get_by_label("API token").fill(KEY)
        page.get_by_role("button", name="Save and test").click()
        expect(page.get_by_text("MailerSend connected; the connection works")).to_be_visible()
        expect(page.get_by_label("Address for events")).to_have_value(re.compile("/hooks/mail/mailersend/"))
        expect(page.get_by_text("Nothing is taken yet")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_label("Signing secret of the webhook").fill("hush-hush")
        page.get_by_role("button", name="Save and test").click()
        expect(page.get_by_text("Sender saved; the connection works")).to_be_visible()
        page.get_by_role("button", name="Test").click()
        expect(page.get_by_text("The vendor takes the key")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert KEY not in page.content()
