"""Whole numbers that requests send as text."""

from __future__ import annotations

import re

DIGITS = re.compile(r"[0-9]{1,15}")


def whole_number(text: object) -> int | None:
    """Return a number from its text, or None unless it is 1 to 15 ASCII digits.

    `int` raises ValueError for a text of thousands of digits, and `str.isdigit` is true of signs that it cannot read.
    """
    return int(str(text)) if DIGITS.fullmatch(str(text)) else None
