"""A contact, and a mailbox with a real IMAP server behind it, beside a sender that has sent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from crm.models import Contact
from outreach.models import ImapMailbox
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.kit.imap_server import PASSWORD, USER, ImapServer, imap_server
from tests.outreach.helpers import Post


@pytest.fixture
def imap() -> Iterator[ImapServer]:
    with imap_server() as server:
        yield server


@pytest.fixture
def mailbox(cast: Cast, post: Post, imap: ImapServer) -> ImapMailbox:
    """The mailbox of the cast's sender."""
    with cast.scope():
        return ImapMailbox.objects.create(
            smtp=post.smtp,
            host="127.0.0.1",
            port=imap.port,
            username=USER,
            password=PASSWORD,
            secure=False,
            folders=["INBOX"],
            verified=True,
        )


@pytest.fixture
def ada(cast: Cast) -> Contact:
    with cast.scope():
        contact: Contact = ContactFactory(name="Ada Lovelace", email="ada@example.com", custom={})
    return contact
