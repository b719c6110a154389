"""Connected mailboxes: create, change, test, delete."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.access import reserve_quota
from core.crypto import SecretUnreadable
from core.errors import NamedError, ValidationFailed
from core.jobs import notify_workers
from core.types import JsonObject
from outreach.connections.connected_apps.registry import CONNECTED_APPS, MODULE
from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.connections.senders.models import Smtp
from outreach.messaging.inbox.imap import ImapConfig, ImapFailed, Timeouts, open_mailbox
from outreach.messaging.inbox.models import ImapMailbox

NOT_FOUND = "AppNotFound_400"
CONNECTION = frozenset({"host", "port", "username", "password", "secure", "folders"})
"""The fields that the connection test uses. A change of one of them requires a new test."""
# A web thread waits for it, of which there are few.
TIMEOUTS = Timeouts(connect=8, answer=8, total=12)
"""Time limits of a test within a request."""
INBOX = "INBOX"


def not_found() -> NamedError:
    """Return the error for an id that belongs to no mailbox of the company."""
    return NamedError(NOT_FOUND, "there is no such mailbox in this company", field="id")


@dataclass(frozen=True)
class MailboxCheck:
    """A test's result: `stage` is where it failed (connect, tls, auth, select), `detail` is for people."""

    ok: bool
    encryption: str | None = None
    stage: str = ""
    detail: str = ""


def config_of(mailbox: ImapMailbox) -> ImapConfig:
    """Return the mailbox's server and account. Raises ImapFailed when the stored password was not given for them."""
    try:
        password = mailbox.password
    except SecretUnreadable:
        detail = "The stored password was given for another server or account. Enter the password again."
        raise ImapFailed("auth", detail) from None
    return ImapConfig(mailbox.host, mailbox.port, mailbox.username, password, mailbox.secure)


def create_mailbox(*, member_id: str, smtp: str, verified: bool = True, **values: Any) -> ImapMailbox:
    """Connect a mailbox to a sender, and test it unless `verified` is False.

    A failed test leaves it unverified, with the reason in last_error, and unread.

    Raises NoSMTPSelected_400 for a missing sender and ValidationFailed for a sender that has a mailbox. Raises
    PlanLimitExceeded_403 at the plan's limit, and ConnectionTestRunning_429 while another test runs.
    """
    values = _validate(values)
    # One test at a time for each company, for each holds a web thread for up to 12 seconds.
    with connection_test_slot() if verified else nullcontext():
        with transaction.atomic():
            # The sender is locked, so that two requests cannot both find it without a mailbox.
            if not Smtp.objects.select_for_update(of=("self",)).filter(pk=smtp).exists():
                raise NamedError("NoSMTPSelected_400", "there is no such sender in this company", field="smtp")
            if ImapMailbox.objects.filter(smtp_id=smtp).exists():
                raise ValidationFailed(
                    "the sender has a mailbox", "choose another sender; this one has a mailbox", field="smtp"
                )
            reserve_quota(MODULE)
            mailbox = ImapMailbox.objects.create(
                smtp_id=smtp, created_by_id=member_id, updated_by_id=member_id, **{"folders": [INBOX], **values}
            )
        # After the commit: no transaction is open while another server is waited for.
        if verified:
            _test(mailbox)
    return mailbox


def update_mailbox(*, id: str, member_id: str, verified: bool | None = None, **values: Any) -> ImapMailbox:
    """Change the mailbox. Tests it when server, account or folders change, or when `verified` is True.

    Without a password the old one stays. Another server, account or folder is read from the last days on.
    """
    values = _validate(values)
    if not values.get("password"):
        # Passwords are never shown, so programs that write back what they read send an empty one.
        values.pop("password", None)
    with ExitStack() as held:
        with transaction.atomic():
            mailbox: ImapMailbox = CONNECTED_APPS["imap"].record_to_change(id, values)
            # A given password counts as changed: comparing would mean to decrypt the old one.
            changed = {
                name for name in CONNECTION & {*values} if name == "password" or getattr(mailbox, name) != values[name]
            }
            tests = verified or (bool(changed) and verified is None)
            if tests:
                # Taken inside the transaction, so a refused turn leaves nothing changed.
                held.enter_context(connection_test_slot())
            fresh: JsonObject = {"failures": 0, "due_at": timezone.now()}
            if mailbox.status == ImapMailbox.Status.FAILED:
                fresh |= {"status": ImapMailbox.Status.WAITING, "deaths": 0, "error": ""}
            if changed or verified is False:
                fresh["verified"] = False
            if changed & {"host", "port", "username"}:
                # UIDs of another account mean other mails, even where UIDVALIDITY is the same by chance.
                fresh["positions"] = {}
            for name, value in {**values, **fresh, "updated_by_id": member_id}.items():
                setattr(mailbox, name, value)
            mailbox.save(update_fields=[*values, *fresh, "updated_by", "updated_at"])
        if tests:
            _test(mailbox)
    return mailbox


def _validate(values: JsonObject) -> JsonObject:
    """Return the values as they are stored. Raises ValidationFailed."""
    if "folders" not in values:
        return values
    names = [name.strip() for name in values["folders"] if name.strip()]
    if any(not name.isprintable() for name in names):
        raise ValidationFailed("enter names without control characters", field="folders")
    return {**values, "folders": list(dict.fromkeys(names)) or [INBOX]}


def check_mailbox(*, id: str) -> MailboxCheck:
    """Log in and open the folders. Stores the result as `verified` and `last_error`.

    Raises ConnectionTestRunning_429 while another test runs.
    """
    mailbox = ImapMailbox.objects.filter(pk=id).first()
    if mailbox is None:
        raise not_found()
    with connection_test_slot():
        return _test(mailbox)


def _test(mailbox: ImapMailbox) -> MailboxCheck:
    now = timezone.now()
    try:
        with open_mailbox(config_of(mailbox), TIMEOUTS) as opened:
            for folder in mailbox.folders:
                opened.select(folder)
            result = MailboxCheck(True, opened.encryption)
    except ImapFailed as failed:
        values: JsonObject = {"verified": False, "last_error": failed.detail, "last_error_at": now}
        result = MailboxCheck(False, stage=failed.stage, detail=failed.detail)
    else:
        values = {"verified": True, "last_error": "", "last_error_at": None, "failures": 0, "due_at": now}
    ImapMailbox.objects.filter(pk=mailbox.pk).update(updated_at=now, **values)
    if result.ok:
        notify_workers("mailboxes")
    return result


@transaction.atomic
def delete_mailboxes(*, ids: Sequence[str], member_id: str) -> dict[str, int]:
    """Delete the mailboxes. Mails that were read stay in the inbox. Raises AppNotFound_400 if no mailbox is found."""
    deleted = ImapMailbox.objects.filter(pk__in=ids).delete()[1].get("outreach.ImapMailbox", 0)
    if not deleted:
        raise NamedError("AppNotFound_400", "none of them is a mailbox of this company", field="ids")
    return {"deletedCount": deleted}
