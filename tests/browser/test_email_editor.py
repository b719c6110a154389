"""The journey of a designed email: chosen, written and moved by the keyboard alone, undone, previewed and saved."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from outreach.models import EmailTemplate
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory
from tests.web.helpers import PASSWORD, at

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_an_email_is_made_by_the_keyboard(page: Page, live_server: Any) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    cast = make_cast()
    with cast.scope():
        ContactFactory(name="Ann Example", email="ann@example.org")
    page.goto(at(cast.owner, "templates/choose"))
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()

    page.get_by_role("button", name="Use Empty email").press("Enter")
    blocks = page.locator(".design-block")
    expect(blocks).to_have_count(4)  # the style, and three blocks
    page.wait_for_function("Boolean(customElements.get('lw-design'))")
    page.get_by_role("button", name="Text", exact=True).press("Enter")
    expect(blocks).to_have_count(5)
    chosen = page.locator(".design-block[aria-current]")
    expect(chosen).to_be_focused()
    text = page.locator("textarea[name=block-text]")
    text.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type('Good to see you, {{contact.firstName | default: "there"}}')
    page.keyboard.press("Tab")
    expect(chosen).to_contain_text("Good to see you")
    mail = page.frame_locator("iframe[name=preview]").frame_locator("iframe")
    expect(mail.get_by_text("Good to see you, Ann")).to_be_visible()

    chosen.focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(blocks.nth(1)).to_contain_text("Good to see you")
    expect(chosen).to_be_focused()
    page.keyboard.press("Control+z")
    expect(blocks.nth(2)).to_contain_text("Good to see you")
    page.get_by_role("button", name="Redo").press("Enter")
    expect(blocks.nth(1)).to_contain_text("Good to see you")
    page.keyboard.press("Control+z")
    expect(blocks.nth(2)).to_contain_text("Good to see you")
    chosen.press("Delete")
    expect(blocks).to_have_count(4)
    page.get_by_role("button", name="Undo").press("Enter")
    expect(blocks).to_have_count(5)

    page.get_by_label("Subject").fill("Hello again")
    page.get_by_role("button", name="Save").press("Enter")
    expect(page.get_by_text("Template saved")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert problems == []
    with cast.scope():
        stored = EmailTemplate.objects.get()
    assert stored.subject == "Hello again"
    assert [block["type"] for block in stored.design["blocks"]] == ["heading", "text", "text", "footer"]
    assert "Good to see you" in stored.design["blocks"][1]["text"]
