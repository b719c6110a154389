"""The journey through a cadence: follow-ups are added and removed, sent, and stopped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from core.jobs.liveness import release_lock
from outreach.models import AiApp, SendJob
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory, SmtpFactory, TagFactory
from tests.kit.smtp_server import Faults, accept_any, faulty_server
from tests.outreach.helpers import work
from tests.web.helpers import PASSWORD

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def port() -> Iterator[int]:
    with faulty_server(Faults(), authenticator=accept_any, auth_require_tls=False) as port:
        yield port
    release_lock()


def fits(page: Page) -> bool:
    """Whether nothing is wider than the screen."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def test_a_cadence_is_made_followed_and_stopped(page: Page, live_server: Any, port: int) -> None:
    cast = make_cast()
    with cast.scope():
        SmtpFactory(port=port, username="user", password="päss wörd")
        AiApp.objects.get_or_create(provider="offline-composer", is_default=True, defaults={"name": "Offline"})
        tag, contact = TagFactory(name="Fair"), ContactFactory(name="Ann Lee", custom={})
    cast.session.put(f"/contact/{contact.pk}", {"tags": [tag.pk]})

    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()

    page.goto(f"/c/{cast.company.pk}/outreach/new")
    page.get_by_label("Fair").check()
    page.get_by_label("Topic").fill("Invite them to our open day")
    page.get_by_label("Send without review").check()
    add = page.get_by_role("button", name="Add a follow-up")
    add.click()
    first = page.get_by_role("group", name="Follow-up 1")
    first.get_by_label("Topic").fill("Ask about the first message")
    first.get_by_label("A lead of the contact is lost").uncheck()

    # A second and a third one, and the second away again, with what was typed.
    add.click()
    page.get_by_role("group", name="Follow-up 2").get_by_label("Subject").fill("Never sent")
    add.click()
    third = page.get_by_role("group", name="Follow-up 3")
    third.get_by_label("Subject").fill("One last question")
    page.get_by_role("button", name="Remove follow-up 2").click()
    expect(third).to_have_count(0)
    expect(page.get_by_role("group", name="Follow-up 2").get_by_label("Subject")).to_have_value("One last question")
    expect(first.get_by_label("Topic")).to_have_value("Ask about the first message")
    expect(first.get_by_label("A lead of the contact is lost")).not_to_be_checked()
    first.get_by_label("Wait").fill("0")
    page.get_by_label("How often").select_option("Every day")
    assert fits(page)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Enter a whole number of at least 1.").first).to_be_visible()
    first.get_by_label("Wait").fill("2")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Writing", exact=True)).to_be_visible()
    work("genie")
    work("send")
    expect(page.get_by_text("Follow-ups scheduled")).to_be_visible()
    table = page.get_by_role("table", name="Messages by step")
    expect(table).to_contain_text(re.compile(r"Follow-up 1\s*after 2 days"))
    assert fits(page)
    page.get_by_role("button", name="Stop repeating").click()
    expect(page.get_by_text("Repeating has ended.")).to_be_visible()
    page.get_by_role("button", name="Cancel all").click()
    expect(page.get_by_role("dialog").get_by_role("button", name="Keep", exact=True)).to_be_focused()
    page.keyboard.press("Escape")

    with cast.scope():
        SendJob.objects.update(next_step_at=timezone.now())
    for kind in ("follow-ups", "genie", "send"):
        work(kind)
    with cast.scope():
        second = SendJob.objects.get(step=2)
    page.goto(f"/c/{cast.company.pk}/messages/{second.pk}")
    expect(page.get_by_role("heading", name=re.compile("^Re: "), level=1)).to_be_visible()
    page.get_by_role("button", name="Stop follow-ups").click()
    expect(page.get_by_role("link", name="Follow-up 2")).to_be_visible()
    expect(page.get_by_text("Rejected in review.")).to_be_visible()
    expect(page.get_by_role("button", name="Stop follow-ups")).to_have_count(0)
