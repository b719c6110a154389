"""The senders of all kinds as one: which there are, which a message has, and which a run takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from django.db.models import Q, QuerySet

from core.errors import NamedError
from core.types import JsonObject
from outreach.connections.chat_apps.models import ChatApp
from outreach.connections.chat_apps.session import ChatSession
from outreach.connections.chat_apps.session import session_of as chat_session_of
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.mail_vendors.services import nothing_selected
from outreach.connections.mail_vendors.transport import VendorSession
from outreach.connections.senders.models import Sender, Smtp
from outreach.connections.senders.services import config_of
from outreach.connections.smtp.message import OutgoingMail, build
from outreach.connections.smtp.outcome import Outcome
from outreach.connections.smtp.transport import Session, Timeouts
from outreach.messaging.deliverability.keys import signer_of
from outreach.messaging.deliverability.signing import Signer

MAIL_SENDERS: tuple[type[Sender], ...] = (Smtp, MailApp)
"""The senders of mail."""
ALL_SENDERS: tuple[type[Sender], ...] = (*MAIL_SENDERS, ChatApp)


def find_sender(id: str) -> Sender | None:
    """Return the company's sender of whatever kind with this id."""
    for kind in ALL_SENDERS:
        sender: Sender | None = kind._default_manager.filter(pk=id).first()
        if sender is not None:
            return sender
    return None


def locked_sender(id: str, **conditions: Any) -> Sender | None:
    """Return the sender with this id, locked until the transaction ends, if it meets the conditions."""
    for kind in ALL_SENDERS:
        # NO KEY: inserting messages that reference the sender need not wait for a claim.
        rows = kind._default_manager.select_for_update(no_key=True, of=("self",))
        sender: Sender | None = rows.filter(pk=id, **conditions).first()
        if sender is not None:
            return sender
    return None


def connected_senders() -> QuerySet[Any]:
    """Return the ids of the company's senders of all kinds."""
    first, *others = (kind._default_manager.values("pk") for kind in ALL_SENDERS)
    # Ids of different tables cannot be equal, so nothing has to be compared.
    return first.union(*others, all=True)


def columns_of(sender: Sender) -> JsonObject:
    """Return the columns of a message, or of a run, that goes by the sender."""
    return {sender.job_column: sender}


def working_senders(most: int) -> list[JsonObject]:
    """Return the first senders of mail of each kind that may send, in the form of choices."""
    return [
        {
            "_id": sender.pk,
            "type": sender.app_key,
            "fromName": sender.from_name,
            "fromEmail": sender.from_email,
            "stoppedAt": sender.stopped_at,
        }
        for kind in MAIL_SENDERS
        for sender in kind._default_manager.filter(is_active=True, verified=True).order_by("created_at", "pk")[:most]
    ]


class ServerSession:
    """A session at a sender's own mail server. Its messages are signed where its domain has a key that is in use."""

    def __init__(self, sender: Smtp, signer: Signer | None, timeouts: Timeouts | None = None) -> None:
        self._signer = signer
        self._session = Session.open(config_of(sender), timeouts=timeouts)

    def deliver(self, mail: OutgoingMail, commit_intent: Callable[[], None]) -> Outcome:
        """Send one message to one recipient. Returns the outcome. Raises InvalidMail before anything is sent."""
        data = build(mail)
        data = self._signer.sign(data) if self._signer else data
        return self._session.deliver(mail.from_email, mail.to_email, data, commit_intent)

    def close(self) -> None:
        """End the connection."""
        self._session.close()


MailSession = ServerSession | VendorSession
AnySession = MailSession | ChatSession


def opener(sender: Sender, *, timeouts: Timeouts | None = None) -> Callable[[], AnySession]:
    """Return a function that opens sessions of the sender, in any thread: its stored data is read now."""
    if isinstance(sender, MailApp):
        return partial(sender.spec.open_session, sender)
    if isinstance(sender, ChatApp):
        return partial(chat_session_of, sender)
    # The signing key is read here, as the threads of connections touch no database.
    return partial(ServerSession, cast("Smtp", sender), signer_of(cast("Smtp", sender)), timeouts)


def open_session(sender: Sender, *, timeouts: Timeouts | None = None) -> MailSession:
    """Return a session of a sender of mail for many messages. Raises SmtpError."""
    return cast("MailSession", opener(sender, timeouts=timeouts)())


def choose_sender(
    sender_id: str | None,
    among: Sequence[str] | None = None,
    letter: str = "",
    kinds: Sequence[type[Sender]] = MAIL_SENDERS,
) -> Sender:
    """Return the sender for a run: the given one, else the oldest active and verified one, of `among` if it is given.

    With a `letter` only apps of mailvendor-<letter> are chosen from, with `kinds` only these. Raises NoSMTPSelected_400
    when there is none, of a letter NoMailvendorXSelected_400.
    """
    if sender_id is not None:
        sender = find_sender(sender_id)
        if sender is None or not sender.is_active or not isinstance(sender, tuple(kinds)):
            raise NamedError("NoSMTPSelected_400", "choose another sender; this one is off or deleted", field="smtp")
        return sender
    conditions = Q(is_active=True, verified=True)
    if among is not None:
        conditions &= Q(pk__in=among)
    oldest: list[Sender] = []
    for kind in (MailApp,) if letter else kinds:
        rows = kind._default_manager.filter(conditions, **({"letter": letter} if letter else {}))
        oldest += rows.order_by("created_at", "id")[:1]
    if not oldest and letter:
        name = nothing_selected(letter).name
        raise NamedError(
            name,
            f"connect a mailvendor-{letter} app first",
            field="type",
            operation=f"POST /apps/mailvendor-{letter}",
        )
    if not oldest:
        raise NamedError(
            "NoSMTPSelected_400",
            "connect a sender first and let its connection test pass",
            field="smtp",
            code="noSender",
            operation="POST /apps/smtp",
        )
    # The id decides between senders of the same moment, so that all workers choose the same one.
    return min(oldest, key=lambda candidate: (candidate.created_at, candidate.pk))
