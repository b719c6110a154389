"""The message that a received mail belongs to. A mail may name it in several places, of which the most trusted comes
first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.ids import is_id
from outreach.messaging.inbox.analysis.parsing import Mail, ids_in


class Matched(StrEnum):
    """The way in which a mail was matched with a message."""

    IN_REPLY_TO = "in_reply_to"
    REFERENCES = "references"
    PLUS_ADDRESS = "plus_address"
    REPORT = "report"
    GUESS = "guess"
    """By the mail's sender or the recipient of a report: the last message to that contact within 30 days."""


_PLUS = re.compile(r"\+([0-9a-f]{24})@")
DELIVERED = ("Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To", "To", "Cc")


@dataclass(frozen=True, slots=True)
class Named:
    """A message that a mail names: its id, the domain of its Message-ID (empty: none), and the place where it is
    named."""

    id: str
    domain: str
    how: Matched


def messages_named_in(mail: Mail, reported: Collection[str] = ()) -> Iterator[Named]:
    """Yield the messages that the mail names, the most trusted first. `reported` are the Message-IDs of the mail that a
    report is about."""
    for how, ids in (
        (Matched.IN_REPLY_TO, ids_in(mail.message, "In-Reply-To")),
        # RFC 5322, 3.6.4: the last id is the direct parent.
        (Matched.REFERENCES, reversed(ids_in(mail.message, "References"))),
    ):
        yield from _own_ids(ids, how)
    # The plus address survives programs that drop References, and stands in whichever header the server adds.
    for _, address in mail.people(*DELIVERED):
        if match := _PLUS.search(address):
            yield Named(match[1], "", Matched.PLUS_ADDRESS)
    yield from _own_ids(reported, Matched.REPORT)


def _own_ids(message_ids: Collection[str] | Iterator[str], how: Matched) -> Iterator[Named]:
    """Yield the ids that have the form of our Message-IDs, <row id@domain>."""
    for message_id in message_ids:
        row, _, domain = message_id.partition("@")
        # Some mail servers write Message-IDs in capitals.
        if is_id(row.lower()) and domain:
            yield Named(row.lower(), domain.lower(), how)


def first_known(named: Iterator[Named], known: Mapping[str, str]) -> Named | None:
    """Return the first known message of the named ones. `known` is id -> the Message-ID with which it was sent."""
    for message in named:
        sent_as = known.get(message.id)
        # The whole Message-ID must be the one that was sent: anybody can write an id of the right form.
        if sent_as is not None and (not message.domain or sent_as.lower() in ("", f"<{message.id}@{message.domain}>")):
            return message
    return None
