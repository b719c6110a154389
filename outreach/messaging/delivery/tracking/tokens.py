"""Signed tokens of tracked links: the message, and the place of the link. The message contains the link's address."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from core.ids import is_id

LENGTH: Final = 34
OPEN: Final = 1
CLICK: Final = 2
"""A click in a message sent before links were counted by their places: the number is that of the address."""
CLICK_AT: Final = 3
MAX_LINKS = 0xFFFF
_SALT: Final = "outreach.tracking"
_BODY: Final = struct.Struct(">B12sH")
# Eighty bits: enough against guessing at a web server, and links in mails should be short.
_MAC: Final = 10


@dataclass(frozen=True, slots=True)
class Tracked:
    """The content of a token: `kind` is OPEN, CLICK or CLICK_AT, `link` the number or place of the link, from 1.

    An open has 0.
    """

    kind: int
    message_id: str
    link: int = 0


def make_token(of: Tracked) -> str:
    """Make the token, 34 characters for the path of a URL."""
    if not is_id(of.message_id):
        raise ValueError("a tracking token takes the id of a message")
    body = _BODY.pack(of.kind, bytes.fromhex(of.message_id), of.link)
    return base64.urlsafe_b64encode(body + next(_macs(body))).rstrip(b"=").decode()


def read_token(token: str) -> Tracked | None:
    """Return the content of a token; None for one that is not ours, or was changed.

    SECRET_KEY_FALLBACKS keeps old ones valid when the key changes.
    """
    try:
        raw = base64.urlsafe_b64decode(f"{token}==")
    except (binascii.Error, ValueError):
        return None
    # The last character has bits to spare: each token has one spelling.
    if len(raw) != _BODY.size + _MAC or base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != token:
        return None
    body, mac = raw[:-_MAC], raw[-_MAC:]
    if not any(constant_time_compare(mac, expected) for expected in _macs(body)):
        return None
    # Read after the signature was checked, and never before.
    kind, id, link = _BODY.unpack(body)
    return Tracked(kind, id.hex(), link)


def _macs(body: bytes) -> Iterator[bytes]:
    # The current key first, which most tokens are signed by.
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        yield salted_hmac(_SALT, body, secret=key, algorithm="sha256").digest()[:_MAC]
