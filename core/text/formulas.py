"""Text that a spreadsheet might run as a formula: an apostrophe prevents it, and the importer removes that."""

from __future__ import annotations

import re

MARKED = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Prefixes that some program reads as a formula, full-width ones included."""
INVISIBLE = "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060\u00ad\u180e"
"""Characters that programs drop, so that what follows them begins the cell."""
_HARMLESS = re.compile(r"[+-]?[\d\s().,/-]*\d", re.ASCII)
_INNER = re.compile(rf"(?<=[;\t\r\n])('*)((?:[^\S;\t\r\n]|[{INVISIBLE}])*[=+\-@＝＋－＠][^;\t\r\n]*)")
"""A formula after what separates cells where the comma doesn't: programs of many countries split lines at `;`, and take
no notice of quotes then."""


def defuse(text: str) -> str:
    """Mark the text so that no program runs it. Numbers, also phone numbers, stay as they are.

    A text that looks marked gets another apostrophe, so that `restore` returns exactly the original.
    """
    bare = text.lstrip("'")
    runs = bare.lstrip(INVISIBLE).startswith(MARKED) and (len(bare) < len(text) or not _HARMLESS.fullmatch(text))
    return ("'" if runs else "") + _INNER.sub(_mark, text)


def _mark(found: re.Match[str]) -> str:
    harmless = not found[1] and _HARMLESS.fullmatch(found[2].strip())
    return found[0] if harmless else "'" + found[0]


def restore(text: str) -> str:
    """Undo `defuse`. Any other text stays as it is."""
    if text.startswith("'") and text.lstrip("'").lstrip(INVISIBLE).startswith(MARKED):
        text = text[1:]
    return _INNER.sub(lambda found: found[1][1:] + found[2], text)
