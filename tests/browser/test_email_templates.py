"""The journey of a template: write MJML, watch the mail change, save it, and use earlier words again."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory
from tests.web.helpers import PASSWORD, at

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
MJML = "<mjml><mj-body><mj-section><mj-column><mj-text>{}</mj-text></mj-column></mj-section></mj-body></mjml>"


def test_a_template_is_written_seen_saved_and_taken_back(page: Page, live_server: Any) -> None:
    cast = make_cast()
    with cast.scope():
        ContactFactory(name="Ann Example", email="ann@example.org", custom={})
        ContactFactory(name="Bob Other", email="bob@example.org", custom={})
    page.goto(at(cast.owner, "templates/new"))
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()

    page.get_by_label("Name").first.fill("Welcome")
    page.get_by_label("Subject").fill("Hello {{contact.firstName}}")
    body = page.locator("textarea[name=body]")
    body.fill(MJML.format("Welcome, {{contact.firstName}}"))
    frame = page.frame_locator("iframe[name=preview]")
    mail = frame.frame_locator("iframe")
    expect(mail.get_by_text("Welcome, {{contact.firstName}}")).to_be_visible()
    page.get_by_label("Find a contact").fill("bob")
    page.get_by_label("Find a contact").press("Enter")
    expect(page.get_by_label("Preview for")).to_contain_text("Bob Other")
    expect(mail.get_by_text("Welcome, Bob")).to_be_visible()
    body.fill(MJML.format("Good to see you, {{contact.firstName}}"))
    expect(mail.get_by_text("Good to see you, Bob")).to_be_visible()
    body.fill(MJML.format("Good to see you, {{contact.frstName}}"))
    expect(frame.get_by_text("Did you mean {{contact.firstName}}")).to_be_visible()
    page.get_by_text("Insert field").click()
    page.get_by_label("Subject").fill("Hi ")
    page.get_by_role("button", name="Insert Phone number").click()
    expect(page.get_by_label("Subject")).to_have_value("Hi {{contact.number}}")
    page.get_by_label("Subject").fill("Hello {{contact.firstName}}")
    body.fill(MJML.format("Bye").replace("mj-text", "mj-texxt"))
    expect(frame.get_by_text("did you mean <mj-text>?")).to_be_visible()
    body.fill(MJML.format("Welcome"))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Template added")).to_be_visible()

    page.get_by_label("Subject").fill("Later words")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Template saved")).to_be_visible()
    page.get_by_role("link", name="Welcome").click()
    expect(page.get_by_role("button", name="Restore")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_text("Earlier version restored")).to_be_visible()
    expect(page.get_by_label("Subject")).to_have_value("Hello {{contact.firstName}}")
