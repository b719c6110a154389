"""Text that a spreadsheet might run as a formula: an apostrophe prevents it, and the importer removes that."""

from __future__ import annotations

import re
from itertools import chain
from unicodedata import category

MARKED = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Prefixes that some program reads as a formula, full-width ones included."""
_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
"""Letters and marks that no font shows."""
_VARIANTS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
"""Selectors of a character's variants, which are invisible on their own."""
INVISIBLE = "".join(
    character
    for character in map(chr, chain(range(0x10000), range(0xE0000, 0xE0200)))
    if category(character) in ("Cf", "Zs")
    or character in _FILLERS
    or any(ord(character) in variants for variants in _VARIANTS)
)
"""Characters that programs drop, so that the next character begins the cell: spaces, marks of direction, and others."""
_BLANKS = INVISIBLE + "\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029"
_HARMLESS = re.compile(r"[+-]?[\d\s().,/-]*\d", re.ASCII)
_INNER = re.compile(rf"(?<=[;\t\r\n])('*)([{_BLANKS}]*[=+\-@＝＋－＠][^;\t\r\n]*)")
"""A formula after a cell separator other than the comma: programs of many countries split lines at `;`, and ignore
quotes then."""


def escape_formula(text: str) -> str:
    """Mark the text so that no program runs it. Numbers, also phone numbers, stay as they are.

    A text that looks marked gets another apostrophe, so that `restore` returns exactly the original.
    """
    bare = text.lstrip("'")
    visible = bare.lstrip(INVISIBLE)
    runs = visible.startswith(MARKED) and (len(bare) < len(text) or not _HARMLESS.fullmatch(visible.rstrip()))
    return ("'" if runs else "") + _INNER.sub(_mark, text)


def _mark(match: re.Match[str]) -> str:
    harmless = not match[1] and _HARMLESS.fullmatch(match[2].strip())
    return match[0] if harmless else "'" + match[0]


def restore(text: str) -> str:
    """Undo `escape_formula`. Any other text stays as it is."""
    if text.startswith("'") and text.lstrip("'").lstrip(INVISIBLE).startswith(MARKED):
        text = text[1:]
    return _INNER.sub(lambda match: match[1][1:] + match[2], text)
