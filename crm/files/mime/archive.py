"""Read a zip file's directory without trusting it: its size is checked first."""

from __future__ import annotations

import struct
import zipfile
from typing import BinaryIO

MAX_DIRECTORY_BYTES = 4 << 20
MAX_ENTRIES = 20_000
END = b"PK\x05\x06"
END_BYTES = 22
END64 = b"PK\x06\x06"
LOCATOR64 = b"PK\x06\x07"
LOCATOR_BYTES = 20


class ArchiveError(Exception):
    """The zip's directory is missing, damaged or too large. The text says which."""


def zip_entries(stream: BinaryIO) -> list[zipfile.ZipInfo]:
    """Return the entries of a seekable zip file. Reads at most the directory and some kilobytes. Raises
    ArchiveError."""
    _check_directory(stream)
    try:
        with zipfile.ZipFile(stream) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, struct.error, NotImplementedError, IndexError) as error:
        raise ArchiveError("its directory is damaged") from error
    if len(infos) > MAX_ENTRIES:
        raise ArchiveError("it has too many entries")
    return infos


def read_entry(stream: BinaryIO, info: zipfile.ZipInfo, limit: int) -> bytes:
    """Return at most `limit` bytes of an entry's content. Raises ArchiveError if it does not unpack."""
    try:
        with zipfile.ZipFile(stream) as archive, archive.open(info) as entry:
            return entry.read(limit)
    except Exception as error:  # noqa: BLE001 - the decompressors raise their own errors for damaged data
        raise ArchiveError("an entry does not unpack") from error


def _check_directory(stream: BinaryIO) -> None:
    size = stream.seek(0, 2)
    begin = max(0, size - END_BYTES - 65_535)
    stream.seek(begin)
    tail = stream.read(size - begin)
    place = tail.rfind(END)
    if place < 0 or len(tail) - place < END_BYTES:
        raise ArchiveError("its end is missing, it may be cut off")
    total, directory = struct.unpack_from("<HL", tail, place + 10)
    if place >= LOCATOR_BYTES and tail.startswith(LOCATOR64, place - LOCATOR_BYTES):
        # Zip64: the true numbers stand in a record of their own.
        stream.seek(min(size, struct.unpack_from("<Q", tail, place - LOCATOR_BYTES + 8)[0]))
        record = stream.read(56)
        if len(record) < 56 or not record.startswith(END64):
            raise ArchiveError("its directory is damaged")
        total, directory = struct.unpack_from("<QQ", record, 32)
    if directory > MAX_DIRECTORY_BYTES or total > MAX_ENTRIES:
        raise ArchiveError("its directory is too large")
