"""Addresses in names, which mail programs make links of."""

from __future__ import annotations

import re

HOST = r"[\w-]+(?:\.[\w-]+)*\.[a-z]{2,24}"
# Of a host its end suffices, which is found in one pass.
LINK = re.compile(r"@|://|\bwww\.|[\w-]\.[a-z]{2,24}(?:[/?#]|:\d)", re.IGNORECASE)
"""An address of mail or of the web. A host alone may be a name: Booking.com."""
_DOT = re.compile(r"(?<=\w)\.(?=\w)")
WORD_JOINER = "\u2060"


def holds_link(text: str) -> bool:
    """Return whether the text holds an address of mail or of the web."""
    return LINK.search(text) is not None


def unlinked(text: str) -> str:
    """Return the text so that no mail program makes a link of a host in it: Booking.com looks the same."""
    return _DOT.sub(f".{WORD_JOINER}", text)
