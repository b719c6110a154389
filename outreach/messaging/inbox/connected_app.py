"""The spec of mailboxes as a connected app."""

from __future__ import annotations

from core.api.output import Deleted
from core.api.selection import SelectionInput
from outreach.connections.connected_apps.registry import AppOperation, Capability, ConnectedApp
from outreach.connections.connected_apps.turns import BUSY
from outreach.messaging.inbox import mailboxes
from outreach.messaging.inbox.filters import MAILBOX_FIELDS
from outreach.messaging.inbox.models import ImapMailbox
from outreach.messaging.inbox.serializers import MailboxChange, MailboxCreate, MailboxOut, MailboxTest

IMAP = ConnectedApp(
    key="imap",
    model=ImapMailbox,
    rows=ImapMailbox.objects.all,
    fields=MAILBOX_FIELDS,
    output=MailboxOut,
    secrets=("password",),
    capabilities=frozenset({Capability.RECEIVE_MAIL}),
    not_found=mailboxes.not_found,
    list_summary="List mailboxes",
    retrieve_summary="Read a mailbox",
    create=AppOperation(
        summary="Connect a mailbox",
        run=mailboxes.create_mailbox,
        success="MailboxConnected_201",
        input=MailboxCreate,
        errors=(BUSY, "NoSMTPSelected_400"),
        description="The mailbox (IMAP) that replies to a sender come to. It is tested at once; `verified` and"
        " `lastError` say what came of it. From then on it is read each minute, and nothing is changed in it.",
    ),
    update=AppOperation(
        summary="Change a mailbox",
        run=mailboxes.update_mailbox,
        success="MailboxChanged_200",
        input=MailboxChange,
        errors=(BUSY,),
    ),
    delete=AppOperation(
        summary="Delete mailboxes",
        run=mailboxes.delete_mailboxes,
        success="MailboxesDeleted_200",
        input=SelectionInput,
        output=Deleted,
        errors=("AppNotFound_400",),
        description="They are read no more; what was read stays in the inbox.",
    ),
    nothing_selected="AppNotFound_400",
    test=AppOperation(
        summary="Test a mailbox",
        run=mailboxes.check_mailbox,
        success="MailboxTested_200",
        output=MailboxTest,
        errors=(BUSY,),
        description="Logs in and opens the folders. A failed test answers 200 with ok false.",
    ),
)
