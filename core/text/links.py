"""Addresses in names, which mail programs make links of."""

from __future__ import annotations

import re
import unicodedata

from core.text.folding import limit_combining_marks

HOST = r"[\w-]+(?:\.[\w-]+)*\.[a-z]{2,24}"
# Browsers read a backslash as a slash, and take http:host without any.
_SCHEME = (
    r"(?<![\w-])(?:https?|ftps?|wss?|mailto|tel|sms|smsto|callto|sips?|skype|facetime|whatsapp|tg|javascript|vbscript)"
    r":(?=\S)"
)
_SLASHED = r"\w:(?=[/\\])"
# Of a host its end suffices, which is found in one pass.
LINK = re.compile(
    rf"@|{_SCHEME}|{_SLASHED}|://|\bwww\."
    r"|[\w-]\.(?:[^\W\d_]{2,24}|xn--[a-z0-9-]{1,59})(?:[/\\?#]|:\d)|\b(?:\d{1,3}\.){3}\d{1,3}\b",
    re.IGNORECASE,
)
"""An address of mail, of the web or of a telephone. A host alone may be a name: Booking.com."""
_BINDS = re.compile(
    rf"(?<=[^\s.])[.․。．｡@＠](?=[^\s.,;:!?)\]])|:(?=//)|{_SLASHED}|{_SCHEME}",  # noqa: RUF001  dots of other scripts
    re.IGNORECASE,
)
_DOTS = str.maketrans("。", ".")
"""Full stops of Chinese, which browsers and mail programs read as dots of hosts; NFKC does the rest."""
_UNSEEN = frozenset({"Mn", "Mc", "Me", "Cf"})
"""Categories of characters that change or hide others: marks and formats."""
WORD_JOINER = "\u2060"


def holds_link(text: str) -> bool:
    """Return whether the text holds an address of mail or of the web."""
    return LINK.search(normalize_signs(text)) is not None


def normalize_signs(text: str) -> str:
    """Return the text with the usual dots, slashes and signs in place of others that are read as those in addresses.

    Combining marks and invisible characters are left out: they are no letters to `LINK`, but part of hosts.
    """
    decomposed = unicodedata.normalize("NFKD", limit_combining_marks(text)).translate(_DOTS)
    return "".join(character for character in decomposed if unicodedata.category(character) not in _UNSEEN)


def prevent_links(text: str) -> str:
    """Return the text so that no mail program makes a link of an address in it: Booking.com looks the same."""
    return _BINDS.sub(rf"\g<0>{WORD_JOINER}", text)
