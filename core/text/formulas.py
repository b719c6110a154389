"""Text that a spreadsheet might run as a formula: a leading apostrophe prevents it, and the importer removes that."""

from __future__ import annotations

import re

MARKED = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Prefixes that some program reads as a formula, full-width ones included."""
_HARMLESS = re.compile(r"[+-]?[\d\s().,/-]*\d", re.ASCII)


def defuse(text: str) -> str:
    """Mark the text so that no program runs it. Numbers, also phone numbers, stay as they are.

    A text that looks marked gets another apostrophe, so that `restore` returns exactly the original.
    """
    bare = text.lstrip("'")
    if bare.startswith(MARKED) and (len(bare) < len(text) or not _HARMLESS.fullmatch(text)):
        return "'" + text
    return text


def restore(text: str) -> str:
    """Undo `defuse`. Any other text stays as it is."""
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(MARKED) else text
