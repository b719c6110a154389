"""Characters that change the direction of the text that follows them."""

from __future__ import annotations

_TURNS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])


def strip_direction_marks(text: str) -> str:
    """Return the text without the characters that override, embed or isolate a direction.

    Without an end character they change the direction of the text after a name. Right-to-left scripts need none of
    them.
    """
    return text.translate(_TURNS)
