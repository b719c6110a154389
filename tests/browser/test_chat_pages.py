"""The journeys of chats: connect a number, write a template and have it approved, send it by a campaign."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.jobs.liveness import release_lock
from crm.models import ContactTag
from outreach.models import ChatApp, ChatTemplate, ConversationMessage
from tests.kit.cast import Cast, make_cast
from tests.kit.chat_vendor import APP, PHONE_ID, SECRET, TOKEN, WABA, ChatVendor, chat_vendor
from tests.kit.factories import ContactFactory, TagFactory
from tests.outreach.helpers import work
from tests.web.helpers import PASSWORD, at

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def vendor(settings: Any) -> Iterator[ChatVendor]:
    with chat_vendor() as found:
        settings.VENDOR_BASE_URLS = {"chatapp": found.url}
        settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8"]
        yield found
    release_lock()


def enter(page: Page, cast: Cast, path: str) -> None:
    page.goto(at(cast.owner, path))
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def test_a_number_is_connected_and_its_template_approved(page: Page, live_server: Any, vendor: ChatVendor) -> None:
    cast = make_cast()
    with cast.scope():
        ContactFactory(name="Ann Example", email="ann@example.org", custom={})
    enter(page, cast, "settings/chat-apps")
    page.get_by_role("link", name="Connect a number").first.click()
    page.get_by_label("Phone number ID").fill(PHONE_ID)
    page.get_by_label("Business account ID").fill(WABA)
    page.get_by_label("App ID").fill(APP)
    page.get_by_label("Access token").fill("guess")
    page.get_by_label("App secret").fill(SECRET)
    page.get_by_role("button", name="Save and test").click()
    expect(page.get_by_text("refuses the token").or_(page.get_by_text("Invalid OAuth")).first).to_be_visible()
    page.get_by_label("Access token").fill(TOKEN)
    page.get_by_label("App secret").fill(SECRET)
    page.get_by_role("button", name="Save and test").click()
    expect(page.get_by_text("Connected; the connection works")).to_be_visible()
    expect(page.get_by_role("heading", name="Acme")).to_be_visible()
    expect(page.get_by_text("Good quality")).to_be_visible()
    with cast.scope():
        app = ChatApp.objects.get()
    assert f"/hooks/chatapp/{app.pk}/" in page.get_by_label("Webhook address", exact=True).input_value()
    assert fits(page)

    page.goto(at(cast.owner, "chat-templates/new"))
    page.get_by_label("Name", exact=False).first.fill("hours")
    text = page.locator("textarea[name=body]")
    bubble = page.frame_locator("iframe[name=preview]")
    text.fill("Hello {{1}}, we are open.")
    expect(bubble.get_by_text("enter an example for each of the 1 variables")).to_be_visible()
    page.locator("textarea[name=variables]").fill("1 = contact.firstName | Ann")
    expect(bubble.get_by_text("Hello {{1}}, we are open.")).to_be_visible()
    page.get_by_label("Preview for").select_option(label="Ann Example")
    expect(bubble.get_by_text("Hello Ann, we are open.")).to_be_visible()
    page.get_by_text("Buttons", exact=True).click()
    page.locator("select[name=button-0-kind]").select_option("QUICK_REPLY")
    page.locator("input[name=button-0-text]").fill("x" * 26)
    page.get_by_role("button", name="Save", exact=True).click()
    wrong = page.locator("input[name=button-0-text]")
    expect(wrong).to_have_attribute("aria-invalid", "true")
    wrong.fill("Thanks")
    expect(bubble.get_by_text("Thanks")).to_be_visible()
    assert fits(page)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Draft saved")).to_be_visible()
    page.get_by_role("button", name="Send for approval").click()
    expect(page.get_by_text("Submitted for approval")).to_be_visible()
    vendor.templates["hours"]["status"] = "APPROVED"
    page.get_by_role("button", name="Check status").click()
    expect(page.get_by_text("Status: Approved")).to_be_visible()
    with cast.scope():
        template = ChatTemplate.objects.get()
    assert (template.status, template.variables) == ("APPROVED", {"1": "contact.firstName"})
    expect(page.locator("textarea[name=variables]")).to_have_value("1 = contact.firstName | Ann")


def test_a_campaign_by_chat_goes_to_a_tag(page: Page, live_server: Any, vendor: ChatVendor) -> None:
    cast = make_cast()
    hello = {"type": "BODY", "text": "Hello {{1}}, we are open.", "example": {"body_text": [["Ann"]]}}
    with cast.scope():
        app = ChatApp.objects.create(
            name="Acme", phone_number_id=PHONE_ID, waba_id=WABA, access_token=TOKEN, app_secret=SECRET, verified=True
        )
        ChatTemplate.objects.create(
            app=app, name="hours", language="en", components=[hello], variables={"1": "contact.name"}, status="APPROVED"
        )
        tag = TagFactory(name="Fair")
        for name, number in (("Ann Lee", "+4915112345600"), ("Bob Ray", None)):
            ContactTag.objects.create(contact=ContactFactory(name=name, contact_number=number, custom={}), tag=tag)
    enter(page, cast, "campaigns/new")
    page.get_by_label("Fair").check()
    page.locator("[name=name]").fill("Spring")
    page.get_by_label("Chat template").first.select_option(label="hours (en)")
    expect(page.get_by_text("1 of 2 contacts")).to_be_visible()
    assert fits(page)
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The message", exact=True).click()
    expect(page.frame_locator("iframe.mail-frame").get_by_text("Hello Ann Lee, we are open.")).to_be_visible()
    page.get_by_role("button", name="Start…").click()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_text("The campaign has started")).to_be_visible()
    work("genie")
    work("send")
    work("events")
    assert [one["template"]["name"] for one in vendor.sent] == ["hours"]
    with cast.scope():
        said = ConversationMessage.objects.get()
    page.goto(at(cast.owner, f"inbox/{said.conversation_id}"))
    expect(page.get_by_text("Hello Ann Lee, we are open.").first).to_be_visible()
    expect(page.get_by_text("Campaign", exact=True).first).to_be_visible()
    assert fits(page)
