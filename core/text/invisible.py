"""Texts without a visible character."""

from __future__ import annotations

import re

_INVISIBLE = re.compile(
    r"[\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)
"""Unicode's Default_Ignorable_Code_Point, spaces, and the empty pattern of Braille."""


def shows_nothing(text: str) -> bool:
    """Return whether a text is empty, or has invisible characters only."""
    return _INVISIBLE.fullmatch(text) is not None
