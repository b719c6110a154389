"""The journey of a reply: connect the mailbox of a sender, read what came, see what it stopped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from core.jobs.liveness import release_lock
from outreach.models import GenieScheduler, SendJob
from tests.kit.cast import make_cast
from tests.kit.factories import ContactFactory, SmtpFactory
from tests.kit.imap_server import PASSWORD as BOX_PASSWORD
from tests.kit.imap_server import USER, ImapServer, imap_server
from tests.outreach.helpers import work
from tests.outreach.messaging.inbox.test_mails import MAILS, SENT
from tests.web.helpers import PASSWORD, at

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def imap() -> Iterator[ImapServer]:
    with imap_server() as server:
        yield server
    release_lock()


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def test_a_reply_is_read_and_found_where_it_belongs(page: Page, live_server: Any, imap: ImapServer) -> None:
    cast, now = make_cast(), timezone.now()
    with cast.scope():
        smtp = SmtpFactory(from_name="Maria Muster")
        contact = ContactFactory(name="Ann Example", email="ann@example.org", custom={})
        run = GenieScheduler.objects.create(name="Open day", ai_type="offline", status="completed", total=1, smtp=smtp)
        job = SendJob.objects.create(
            run=run, contact=contact, smtp=smtp, status="sent", subject="New opening hours", text="Hello Ann",
            recipient="ann@example.org", sent_at=now, sending_at=now,
        )  # fmt: skip
        SendJob.objects.filter(pk=job.pk).update(message_id=f"<{job.pk}@example.com>")
    imap.put((MAILS / "reply-gmail.eml").read_bytes().replace(SENT.encode(), job.pk.encode()))

    page.goto(at(cast.owner, "senders"))
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Mailbox for replies").click()
    page.get_by_label("Mail server (IMAP)").fill("127.0.0.1")
    page.get_by_label("Port").fill(str(imap.port))
    page.get_by_label("Username").fill(USER)
    page.get_by_label("Password").fill(BOX_PASSWORD)
    page.get_by_text("Require encryption (TLS)").click()
    page.get_by_role("button", name="Save and test").click()
    expect(page.get_by_text("Saved. Replies are read from now on.")).to_be_visible()
    assert fits(page)
    work("mailboxes")

    page.goto(at(cast.owner))
    page.get_by_role("link", name="1 new reply").click()
    expect(page.get_by_role("heading", name="Received email")).to_be_visible()
    assert fits(page)
    page.get_by_role("link", name="Ann Example").first.click()
    expect(page.get_by_text("Thanks, Tuesday works for me.").last).to_be_visible()
    expect(page.get_by_text("we have new opening hours")).to_be_hidden()
    page.get_by_text("Quoted text").click()
    expect(page.get_by_text("we have new opening hours")).to_be_visible()
    assert fits(page)
    page.get_by_role("button", name="Mark as read").click()
    expect(page.get_by_role("button", name="Mark as unread")).to_be_visible()
    page.get_by_role("link", name="Open day").click()
    expect(page.get_by_role("heading", name="Replies")).to_be_visible()
    expect(page.get_by_text("Thanks, Tuesday works for me.")).to_be_visible()
    assert fits(page)
