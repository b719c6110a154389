"""The picture with which a connection is tested."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

SCALE = 12
_LETTERS = {
    "H": ("1...1", "1...1", "1...1", "11111", "1...1", "1...1", "1...1"),
    "E": ("11111", "1....", "1....", "1111.", "1....", "1....", "11111"),
    "L": ("1....", "1....", "1....", "1....", "1....", "1....", "11111"),
    "O": (".111.", "1...1", "1...1", "1...1", "1...1", "1...1", ".111."),
}


def png(rows: list[bytes]) -> bytes:
    """Return rows of grey pixels as a PNG."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    packed = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


@contextmanager
def sample_picture(word: str = "HELLO") -> Iterator[Path]:
    """Open a picture of a word, in letters that are 7 squares high."""
    lines = ["." * (len(word) * 6 + 5)] * 2
    lines += ["..." + "".join(f"{_LETTERS[character][row]}." for character in word) + ".." for row in range(7)]
    lines += lines[:2]
    rows = [b"".join((b"\0" if character == "1" else b"\xff") * SCALE for character in line) for line in lines]
    with NamedTemporaryFile(suffix=".png") as file:
        file.write(png([row for row in rows for _ in range(SCALE)]))
        file.flush()
        yield Path(file.name)
