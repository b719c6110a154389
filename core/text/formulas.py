"""Text that a spreadsheet program might run as a formula: an apostrophe before it makes it text, and the importer takes that off again."""

from __future__ import annotations

import re

MARKED = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Beginnings that some program takes for a formula, the full-width ones among them."""
_HARMLESS = re.compile(r"[+-]?[\d\s().,/-]*\d", re.ASCII)


def defuse(text: str) -> str:
    """The text so that no program runs it. Numbers, also those of phones, stay as they are.

    A text that looks defused already gets one more apostrophe, so that `restore` gives back exactly what there was.
    """
    bare = text.lstrip("'")
    if bare.startswith(MARKED) and (len(bare) < len(text) or not _HARMLESS.fullmatch(text)):
        return "'" + text
    return text


def restore(text: str) -> str:
    """The text that `defuse` made this of; any other stays as it is."""
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(MARKED) else text
