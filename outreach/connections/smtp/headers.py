"""Header values on lines of at most 76 characters: folded at spaces, as encoded words (RFC 2047) beyond ASCII.

email.header takes half a millisecond for a subject with one umlaut, more than the rest of a message.
"""

from __future__ import annotations

import re
from binascii import b2a_base64
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

_LINE = 76
_FOLD = "\r\n "
_FRAME = len("=?utf-8?q??=")
# RFC 2047, 5 (3): within a phrase, such as a name, only these characters may stand as they are.
_QUOTED = [chr(byte) if re.match(rb"[A-Za-z0-9!*+/-]", bytes([byte])) else f"={byte:02X}" for byte in range(256)]
_QUOTED[ord(" ")] = "_"


@lru_cache(maxsize=1000)  # the same subject for many messages
def encode_header(value: str, used: int) -> str:
    """Return the text of a header whose first line has so many characters already. The value is on one line."""
    # ASCII that looks like an encoded word is encoded too, or it would be decoded into another text.
    if not value.isascii() or "=?" in value:
        parts = _encoded_words(value, _LINE - used - _FRAME, _LINE - 1 - _FRAME)
    elif used + len(value) <= _LINE:
        return value
    else:
        parts = (
            " ".join(group) for group in _groups(value.split(" "), _LINE - used, _LINE - 1, lambda word: len(word) + 1)
        )
    return _FOLD.join(parts)


def _encoded_words(value: str, first: int, width: int) -> Iterator[str]:
    """Write the value as quoted characters, or as base64 where that is shorter, which takes four for three bytes."""
    quoted = [_quote_letter(letter) for letter in value]
    if sum(map(len, quoted)) <= 4 * len(value.encode()) / 3:
        for letters in _groups(quoted, first, width, len):
            yield f"=?utf-8?q?{''.join(letters)}?="
    else:
        # RFC 2047, 5: a character must not be split between two words, so letters are grouped and not bytes.
        for letters in _groups(value, first // 4 * 3, width // 4 * 3, lambda letter: len(letter.encode())):
            yield f"=?utf-8?b?{b2a_base64(''.join(letters).encode(), newline=False).decode()}?="


@lru_cache(maxsize=4096)
def _quote_letter(letter: str) -> str:
    return "".join(_QUOTED[byte] for byte in letter.encode())


def _groups(pieces: Sequence[str], first: int, width: int, size: Callable[[str], int]) -> Iterator[list[str]]:
    """Group as many pieces as fit: on the first line, and on each later one."""
    group: list[str] = []
    left = first
    for piece in pieces:
        taken = size(piece)
        # A piece that is longer than a line stands alone; to cut it would change the text.
        if group and taken > left:
            yield group
            group, left = [], width
        group.append(piece)
        left -= taken
    yield group
