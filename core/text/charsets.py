"""Charsets by the names that strangers give them."""

from __future__ import annotations

import codecs

NO_CHARSETS = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})
"""Codecs of Python that no text is written in. A megabyte of Punycode takes minutes to decode."""


def is_charset(name: str) -> bool:
    """Return whether texts are written in it. Some codecs that pass decode no text, and raise LookupError."""
    try:
        return codecs.lookup(name).name not in NO_CHARSETS
    except (LookupError, ValueError):
        return False
