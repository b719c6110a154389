"""The journey of a website's visitor, on a page of another origin under the strictest policy that lets the chat in."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from crm.models import Contact, Lead
from outreach.chat.conversations import services as conversations
from outreach.chat.widgets.services import update_widget
from outreach.models import Conversation
from tests.browser.axe import find_axe, violations
from tests.browser.test_chat_pages import enter
from tests.kit.cast import Cast, make_cast
from tests.outreach.chat.widgets.helpers import away, made, published

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

EVIL = "<img src=x onerror=\"document.title='hacked'\"><script>document.title='hacked'</script>"


@contextmanager
def website(service: str, token: str) -> Iterator[str]:
    """Serve a website with the widget on a port of its own. Yields its origin."""
    page = f"""<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>
<main><h1>Shop</h1><p>Beans.</p></main><script src="{service}/widget/{token}.js" async></script></html>"""
    policy = f"default-src 'none'; script-src {service}; connect-src {service}; require-trusted-types-for 'script'"

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(204 if self.path == "/favicon.ico" else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Security-Policy", policy)
            self.end_headers()
            if self.path != "/favicon.ico":
                self.wfile.write(page.encode())

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _answer(cast: Cast, text: str) -> None:
    with cast.scope():
        chat = Conversation.objects.get()
        conversations.send_answer(id=chat.pk, member_id=cast.owner.pk, text=text)


@pytest.mark.both_widths
def test_a_visitor_chats_and_leaves_a_message(page: Page, live_server: Any) -> None:
    cast = make_cast()
    widget = made(cast, chatbot=published(cast), preChat=[{"key": "email", "required": True}], greeting="Hello there")
    with website(live_server.url, widget["token"]) as site:
        with cast.scope():
            update_widget(id=widget["_id"], member_id=cast.owner.pk, allowed_origins=[site])
        page.goto(site)
        page.get_by_role("button", name="Open the chat").click()
        panel = page.get_by_role("dialog", name="Chat with us")
        expect(panel.get_by_label("Email (required)")).to_be_focused()
        panel.get_by_label("Email (required)").fill("ann@acme.example")
        panel.get_by_role("button", name="Start the chat").click()
        expect(panel.get_by_text("Hello there")).to_be_visible()
        panel.get_by_label("Write a message").fill(EVIL)
        page.keyboard.press("Enter")
        expect(panel.get_by_role("log").get_by_text(EVIL)).to_have_count(1)
        expect(panel.get_by_text("Which day?")).to_be_visible()
        panel.get_by_label("Write a message").fill("a human please")
        panel.get_by_role("button", name="Send").click()
        expect(panel.get_by_text("We'll reply here soon.")).to_be_visible()
        _answer(cast, f"On Monday. {EVIL}")
        expect(panel.get_by_text("On Monday.")).to_be_visible()
        assert page.title() == "Shop"
        expect(panel.locator(".msg")).to_have_count(6)  # what is told again is shown once
        axe = find_axe()
        if axe is not None:
            found = violations(page.context.new_cdp_session(page), axe)
            assert not [one for one in found if "leadwright-chat" in one], found
        box = panel.bounding_box()
        assert box is not None
        narrow = page.viewport_size is not None and page.viewport_size["width"] < 480
        assert (box["width"] == 390) is narrow

        for _ in range(4):  # the way around leads back into the panel
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.localName") == "leadwright-chat"
        page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        expect(page.get_by_role("button", name="Open the chat")).to_be_focused()
        page.reload()
        page.get_by_role("button", name="Open the chat").click()
        expect(panel.get_by_text("a human please")).to_be_visible()  # known again, without a cookie
        assert page.context.cookies() == []

        with cast.scope():
            update_widget(id=widget["_id"], member_id=cast.owner.pk, business_hours=away())
        # Only the next page clears what is stored: a look at news that is under way in this one stores it again.
        page.add_init_script("localStorage.clear()")
        page.reload()
        page.get_by_role("button", name="Open the chat").click()
        expect(panel.get_by_text("We are away right now")).to_be_visible()
        panel.get_by_label("Email (required)").fill("eve@acme.example")
        panel.get_by_label("Message (required)").fill("Call me")
        panel.get_by_role("button", name="Send").click()
        expect(panel.get_by_text("We'll reply when we are back.")).to_be_visible()
        with cast.scope():
            assert Lead.objects.filter(contact__email="eve@acme.example").count() == 1

        foreign = page.context.new_page()
        with foreign.expect_event("requestfailed", lambda one: one.url.endswith("/config")):
            foreign.goto(site.replace("127.0.0.1", "localhost"))  # another origin, which the widget does not allow
        expect(foreign.locator("leadwright-chat")).to_have_count(0)


@pytest.mark.both_widths
def test_a_visitor_without_address_becomes_a_contact(page: Page, live_server: Any) -> None:
    cast = make_cast()
    widget = made(cast)
    with website(live_server.url, widget["token"]) as site:
        with cast.scope():
            update_widget(id=widget["_id"], member_id=cast.owner.pk, allowed_origins=[site])
        page.goto(site)
        page.get_by_role("button", name="Open the chat").click()
        panel = page.get_by_role("dialog", name="Chat with us")
        start = panel.get_by_role("button", name="Start the chat")
        if start.count():
            start.click()
        panel.get_by_label("Write a message").fill("Hello")
        page.keyboard.press("Enter")
        expect(panel.get_by_text("We'll reply here soon.")).to_be_visible()
    with cast.scope():
        chat = Conversation.objects.get()
        assert (chat.contact_id, Contact.objects.count()) == (None, 0)
    enter(page, cast, f"inbox/{chat.pk}")
    expect(page.get_by_role("heading", name=chat.name)).to_be_visible()
    page.get_by_text(f"{chat.name} · not a contact yet").click()
    page.get_by_label("Email", exact=True).fill("ann")
    page.get_by_role("button", name="Make a contact").click()
    expect(page.get_by_role("alert").get_by_role("link", name="Email")).to_be_visible()
    axe = find_axe()
    if axe is not None:
        assert violations(page.context.new_cdp_session(page), axe) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_label("Email", exact=True).fill("ann@acme.example")
    page.get_by_label("Name").fill("Ann")
    page.get_by_role("button", name="Make a contact").click()
    expect(page.get_by_text("Contact created from the visitor")).to_be_visible()
    expect(page.get_by_text("not a contact yet")).to_have_count(0)
    expect(page.get_by_role("heading", name="Ann")).to_be_visible()
    with cast.scope():
        assert Conversation.objects.get().contact_id == Contact.objects.get(email="ann@acme.example").pk
