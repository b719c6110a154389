"""The inbox, a received mail, and the mailbox of a sender."""

from __future__ import annotations

from django.utils import timezone

from outreach.models import ImapMailbox, InboundMessage, SendJob
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, SmtpFactory
from tests.kit.html import html_of
from tests.kit.imap_server import PASSWORD, USER, imap_server
from tests.web.helpers import at, enter, text_of, toast_of

EVIL = "<script>alert(1)</script>"


def test_a_reply_is_read_where_it_belongs(cast: Cast) -> None:
    browser = enter(cast.owner)
    with cast.scope():
        contact = ContactFactory(name="Ann Example")
        job = SendJob.objects.create(contact=contact, subject="Hello", status="sent", recipient="ann@example.org")
        mail = InboundMessage.objects.create(
            kind="reply", uid_validity=1, uid=1, digest="a", from_name=f"Ann {EVIL}", from_email="ann@example.org",
            subject="Re: Hello", text=f"Yes {EVIL}", quoted="> Hello Ann", contact=contact, send_job=job,
            matched_by="guess", received_at=timezone.now(), message_id="reply@example.org",
        )  # fmt: skip
    home = text_of(browser.get(at(cast.owner, "")))
    assert "1 new reply" in home
    listed = browser.get(at(cast.owner, "received-mail?only=unread"))
    assert "Yes" in text_of(listed)
    assert EVIL not in html_of(listed)
    here = at(cast.owner, f"received-mail/{mail.pk}")
    shown = html_of(browser.get(here))
    assert EVIL not in shown
    assert f"emails/new?contact={contact.pk}&amp;reply={mail.pk}" in shown
    form = browser.get(at(cast.owner, f"emails/new?contact={contact.pk}&reply={mail.pk}"))
    assert 'value="Re: Hello"' in html_of(form)
    assert f"Yes {EVIL}" in text_of(form)
    with cast.scope():
        InboundMessage.objects.update(contact=None)
    alone = html_of(browser.get(here))
    assert "mailto:ann@example.org?subject=Re%3A%20Hello&amp;In-Reply-To=%3Creply%40example.org%3E" in alone
    with cast.scope():
        InboundMessage.objects.update(contact=contact)
    assert "Matched to the last message" in shown
    assert "Hello Ann" in shown
    assert "Received email" in text_of(browser.get(at(cast.owner, f"messages/{job.pk}")))
    assert "Marked as read" in toast_of(browser, browser.post(here, {"do": "read"}))
    assert "No unread items" in text_of(browser.get(at(cast.owner, "received-mail?only=unread")))
    assert "Deleted from the inbox" in toast_of(browser, browser.post(here, {"do": "delete"}))
    assert browser.get(here).status_code == 404


def test_the_mailbox_of_a_sender_is_connected_and_tested(cast: Cast) -> None:
    browser = enter(cast.owner)
    with cast.scope():
        smtp = SmtpFactory()
    here = at(cast.owner, f"senders/{smtp.pk}/mailbox")
    assert f"senders/{smtp.pk}/mailbox" in html_of(browser.get(at(cast.owner, f"senders/{smtp.pk}")))
    with imap_server() as server:
        sent = {"do": "save", "host": "127.0.0.1", "port": server.port, "username": USER, "folders": "INBOX"}
        saved = browser.post(here, {**sent, "password": "wrong"})
        assert "be read: 127.0.0.1 refused" in toast_of(browser, saved)
        assert "refused the user name and password" in text_of(browser.get(here))
        assert "read from now on" in toast_of(
            browser, browser.post(here, {**sent, "password": PASSWORD, "isActive": "on"})
        )
        with cast.scope():
            mailbox = ImapMailbox.objects.get()
        assert mailbox.verified
        assert "The connection works" in toast_of(browser, browser.post(here, {"do": "test", "id": mailbox.pk}))
    assert "Mailbox disconnected" in toast_of(browser, browser.post(here, {"do": "delete"}))
