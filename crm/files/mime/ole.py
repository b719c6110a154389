"""The names in an OLE2 container, the file system inside old Office files and Outlook messages."""

from __future__ import annotations

import struct
from typing import BinaryIO

SIGNATURE = bytes.fromhex("d0cf11e0a1b11ae1")
MAX_DIRECTORY_SECTORS = 256
ENTRY_BYTES = 128
END_OF_CHAIN = 0xFFFFFFFA


def stream_names(stream: BinaryIO) -> set[str]:
    """Return the names of a container's streams and storages; none if it is damaged. Reads a bounded part of it."""
    stream.seek(0)
    header = stream.read(512)
    if len(header) < 512 or not header.startswith(SIGNATURE):
        return set()
    shift = struct.unpack_from("<H", header, 30)[0]
    if shift not in (9, 12):
        return set()
    size = 1 << shift
    fat_sectors = struct.unpack_from("<109I", header, 76)
    sector = struct.unpack_from("<I", header, 48)[0]
    names: set[str] = set()
    for _ in range(MAX_DIRECTORY_SECTORS):
        if sector >= END_OF_CHAIN:
            break
        stream.seek((sector + 1) * size)
        data = stream.read(size)
        for place in range(0, len(data) - ENTRY_BYTES + 1, ENTRY_BYTES):
            length = struct.unpack_from("<H", data, place + 64)[0]
            if 2 <= length <= 64 and data[place + 66] in (1, 2, 5):
                names.add(data[place : place + length - 2].decode("utf-16-le", "replace"))
        sector = _next(stream, fat_sectors, sector, size)
    return names


def _next(stream: BinaryIO, fat_sectors: tuple[int, ...], sector: int, size: int) -> int:
    """Return the sector that follows in its chain, from the allocation table's first 109 sectors."""
    which, place = divmod(sector, size // 4)
    if which >= len(fat_sectors) or fat_sectors[which] >= END_OF_CHAIN:
        return END_OF_CHAIN
    stream.seek((fat_sectors[which] + 1) * size + place * 4)
    data = stream.read(4)
    return struct.unpack("<I", data)[0] if len(data) == 4 else END_OF_CHAIN
