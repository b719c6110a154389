"""The journeys of mail vendors: connect, copy the address for its events, test; log in, and send by Gmail."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from outreach.models import MailApp
from tests.kit.cast import make_cast
from tests.kit.google import CLIENT, CLIENT_SECRET, EMAIL, READ
from tests.kit.mail_vendors import KEY, vendor_server
from tests.web.helpers import PASSWORD, at

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_a_vendor_is_connected_and_tested(page: Page, live_server: Any, settings: Any) -> None:
    cast = make_cast()
    with vendor_server() as vendors:
        settings.VENDOR_BASE_URLS = {"mailersend": vendors.be("mailersend").url}
        settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8"]
        page.goto(at(cast.owner, "senders/new"))
        page.get_by_label("Email address").fill(cast.owner.email)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("link", name="MailerSend").click()
        page.get_by_label("From name").fill("Dana of Acme")
        page.get_by_label("From address").fill("dana@example.org")
        page.get_by_label("API token").fill(KEY)
        page.get_by_role("button", name="Save and test").click()
        expect(page.get_by_text("MailerSend connected; the connection works")).to_be_visible()
        expect(page.get_by_label("Address for events")).to_have_value(re.compile("/hooks/mail/mailersend/"))
        expect(page.get_by_text("Enter the signing key")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_label("Signing secret of the webhook").fill("hush-hush")
        page.get_by_role("button", name="Save and test").click()
        expect(page.get_by_text("Sender saved; the connection works")).to_be_visible()
        page.get_by_role("button", name="Test").click()
        expect(page.get_by_text("The key works")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert KEY not in page.content()


def test_gmail_is_connected_by_a_log_in(page: Page, live_server: Any, settings: Any) -> None:
    cast = make_cast()
    settings.BASE_URL = live_server.url
    settings.GOOGLE_CLIENT_ID, settings.GOOGLE_CLIENT_SECRET = CLIENT, CLIENT_SECRET
    settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8"]
    with vendor_server() as vendors:
        settings.VENDOR_BASE_URLS = {"gmail": vendors.be("gmail").url}
        page.goto(at(cast.owner, "senders/new"))
        page.get_by_label("Email address").fill(cast.owner.email)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("link", name="Gmail").click()
        page.get_by_label("Read replies from the mailbox").check()
        page.get_by_role("button", name="Continue").click()
        page.get_by_role("link", name="Log in at Gmail").click()
        page.get_by_label("From name").fill("Dana of Acme")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_role("button", name="Connect").click()
        expect(page.get_by_text("Gmail connected")).to_be_visible()
        expect(page.get_by_role("heading", name="Log-in at Gmail")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert "canary" not in page.content()
    with cast.scope():
        app = MailApp.objects.get()
        assert (app.from_email, READ in app.scopes, app.verified) == (EMAIL, True, True)
