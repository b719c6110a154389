"""Reads the mailboxes: each is claimed by one worker at a time, and read on from where it was left."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from time import monotonic

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.members.notices import members_who_may, notify
from core.jobs import LeaseLost
from core.jobs.leases import claim, update_owned
from core.jobs.registry import Moment
from core.tenancy import company_scope
from outreach.connections.connected_apps.registry import MODULE
from outreach.messaging.delivery.limits.pauses import NOTIFY_AFTER
from outreach.messaging.inbox.analysis.parsing import Mail, read_mail
from outreach.messaging.inbox.imap import ImapFailed, Mailbox, Timeouts, open_mailbox
from outreach.messaging.inbox.mailboxes import config_of
from outreach.messaging.inbox.mails import MAILBOX_FAILING
from outreach.messaging.inbox.models import ImapMailbox
from outreach.messaging.inbox.receiving.effects import store
from outreach.messaging.inbox.receiving.received import Place, Reader

log = logging.getLogger(__name__)
READABLE = Q(is_active=True, verified=True, smtp__is_active=True)
EVERY = timedelta(seconds=60)
# A mailbox that works again is noticed within the hour without anybody's help.
MAX_WAIT = timedelta(hours=1)
LOOK_BACK = timedelta(days=7)
"""The period that is read from a mailbox that is new, or whose UIDs are new."""
BATCH = 50
SECONDS = 120.0
"""The longest time in seconds that one mailbox may occupy a worker before the next one is read."""

GRACE = 15.0
"""Seconds that a connection may stay open after that time."""


def due_mailboxes(now: Moment) -> list[QuerySet[ImapMailbox]]:
    """Return the mailboxes to be read."""
    return [ImapMailbox.claimable(now, READABLE)]


def drain(deadline: float) -> None:
    """Read the mailboxes that are due until none is left or monotonic() passes the deadline."""
    while monotonic() < deadline:
        # One by one: a mailbox that was claimed and waits for another slow server would be read by nobody.
        claimed = claim(ImapMailbox, limit=1, extra=READABLE)
        if not claimed:
            return
        with company_scope(claimed[0].company_id):
            poll(claimed[0], min(deadline, monotonic() + SECONDS))


def poll(mailbox: ImapMailbox, deadline: float) -> None:
    """Read a claimed mailbox, and release it."""
    now = timezone.now()
    try:
        # An answer that is waited for when the time is over gets a little more.
        with open_mailbox(config_of(mailbox), Timeouts(total=max(1, deadline - monotonic()) + GRACE)) as opened:
            reader = Reader.for_mailbox(mailbox)
            done = all(_read_folder(reader, opened, folder, deadline) for folder in mailbox.folders)
        # Not done: it is due at once, after those that have waited longer.
        _release(
            mailbox, EVERY if done else timedelta(), last_polled_at=now, last_error="", last_error_at=None, failures=0
        )
    except ImapFailed as failed:
        failures = min(mailbox.failures + 1, 1000)
        # The exponent is bounded, or a mailbox that fails for months would overflow.
        wait = min(EVERY * 2 ** min(failures - 1, 10), MAX_WAIT)
        with transaction.atomic():
            # Members are notified once, since a successful reading resets the count.
            released = _release(mailbox, wait, last_error=failed.detail, last_error_at=now, failures=failures)
            if released and failures == NOTIFY_AFTER:
                members = members_who_may(MODULE, "PUT")
                notify(MAILBOX_FAILING.key, {"mailbox": mailbox}, members=members, about=("imap", mailbox.pk))
    except LeaseLost:
        log.warning("mailbox %s was taken over by another worker", mailbox.pk)


def _release(mailbox: ImapMailbox, wait: timedelta, **values: object) -> bool:
    """Release the mailbox until its next reading. Returns False if another worker has claimed it."""
    try:
        update_owned(
            mailbox,
            status=ImapMailbox.Status.WAITING,
            lease=None,
            worker=None,
            attempts=0,
            deaths=0,
            due_at=timezone.now() + wait,
            **values,
        )
    except LeaseLost:
        log.warning("mailbox %s was taken over by another worker", mailbox.pk)
        return False
    for name, value in values.items():
        setattr(mailbox, name, value)
    return True


def _read_folder(reader: Reader, opened: Mailbox, folder: str, deadline: float) -> bool:
    """Read the mails that arrived in a folder since the last reading, in batches. Returns whether none is left."""
    mailbox, state = reader.mailbox, opened.select(folder)
    position = mailbox.positions.get(folder, {})
    # RFC 9051, 2.3.1.1: with another UIDVALIDITY all UIDs known so far are void.
    fresh = position.get("uidValidity") != state.validity
    if fresh:
        uids = opened.since((timezone.now() - LOOK_BACK).date())
        # Older mails are skipped for good, so that the position begins after them.
        last = max(state.next_uid - 1, uids[-1] if uids else 0)
    else:
        uids = opened.uids_after(position["lastUid"])
        last = uids[-1] if uids else position["lastUid"]
    for start in range(0, len(uids), BATCH):
        batch = uids[start : start + BATCH]
        _read_batch(reader, opened, folder, state.validity, batch)
        # After a batch and not before it, so that each turn gets on, however slow the server.
        if monotonic() > deadline:
            return start + BATCH >= len(uids)
    if fresh or last != mailbox.positions[folder]["lastUid"]:
        _move(mailbox, folder, state.validity, last)
    return True


def _read_batch(reader: Reader, opened: Mailbox, folder: str, validity: int, uids: list[int]) -> None:
    """Read some mails: the headers of all, and the whole of those that may concern the company."""
    headers = opened.headers(uids)
    # Only headers are read of mails that do not concern the company: other people's mail is not ours to read.
    chosen = reader.relevant_uids({uid: read_mail(raw) for uid, (raw, _) in headers.items()})
    for uid in sorted(chosen):
        raw = opened.whole(uid)  # one by one: a mail may have megabytes
        place = Place(folder, validity, uid, _received_at(headers[uid][1]))
        _store_mail(reader, read_mail(raw), raw, place)
    _move(reader.mailbox, folder, validity, uids[-1])


def _store_mail(reader: Reader, mail: Mail, raw: bytes, place: Place) -> None:
    """Store one mail and how far the mailbox has been read, in one transaction. One that breaks is left out."""
    try:
        with transaction.atomic():
            received = reader.read(mail, raw, place)
            if received is not None:
                # Position and effects commit together. After a crash the mail is read again, and known by its
                # digest.
                _move(reader.mailbox, place.folder, place.validity, place.uid)
                store(received)
    # Not the mail's fault: it is read again when the database is back.
    except (LeaseLost, OperationalError, InterfaceError):
        raise
    except Exception:  # the edge of one mail: another try would break as well
        log.exception("mail %s of mailbox %s could not be taken in", place.uid, reader.mailbox.pk)


def _move(mailbox: ImapMailbox, folder: str, validity: int, uid: int) -> None:
    """Write how far the folder has been read. Raises LeaseLost if another worker reads the mailbox."""
    positions = {**mailbox.positions, folder: {"uidValidity": validity, "lastUid": uid}}
    # The lease is checked in the same statement, so of two workers only one moves the position.
    update_owned(mailbox, positions=positions)


def _received_at(moment: datetime | None) -> datetime:
    now = timezone.now()
    if moment is None:
        return now
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    # A mail from the future would stay the newest in the inbox for years.
    return min(aware, now)
