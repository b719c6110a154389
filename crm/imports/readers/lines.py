"""Text lines of a binary file, block by block, in bounded memory and from any line that is still in memory.

A block ends at a line end, so that it decodes on its own and reading can start again at its byte offset.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from crm.imports.readers.base import MAX_LINE_BYTES, MAX_RECORD_BYTES

BLOCK_BYTES = 1 << 18
# No decoder returns lone surrogates, so they can mark a place in the text.
UNDECODABLE = "\udcff"
OVERLONG = "\udcfe"
MARK_UNDECODABLE = "leadwright-mark"


def _mark(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return UNDECODABLE, error.end


codecs.register_error(MARK_UNDECODABLE, _mark)


class RecordTooLongError(Exception):
    """The current record exceeds MAX_RECORD_BYTES."""


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines from one byte offset to another."""

    begin: int
    end: int
    lines: list[str]
    is_suspect: bool
    """A line may contain a NUL, UNDECODABLE or OVERLONG."""


class Lines:
    """Lines of a seekable file with their ends; line numbers count from 0.

    `done` is the number of lines of finished records, which the reader sets: blocks before it are forgotten.
    `long_scans` is the reader's count of records whose end it had to search for, and
    `read_again` that of the lines that broken records went over. `suspect_until` is the line number
    before which a line may contain a NUL, UNDECODABLE or OVERLONG.
    """

    def __init__(self, stream: BinaryIO, encoding: str, start: int) -> None:
        self.stream = stream
        self.encoding = encoding
        self.done = 0
        self.suspect_until = 0
        self.position = start
        self.long_scans = 0
        self.read_again = 0
        self._newline = b"\n"
        self._return = b"\r"
        if encoding.startswith(("utf-16", "utf-32")):
            self._newline = "\n".encode(encoding)
            self._return = "\r".encode(encoding)
        self._unit = len(self._newline)
        self._marks: list[tuple[int, int]] = [(start, 0)]
        self._last: _Block | None = None

    def blocks(self, line: int, guard: bool = True) -> Iterator[Iterable[str]]:
        """Yield blocks of lines beginning with number `line`, which must not be before the current record.

        With `guard` an unfinished record that is too long raises RecordTooLongError; without it any length is scanned.
        """
        offset, first = next(mark for mark in reversed(self._marks) if mark[1] <= line)
        while True:
            if guard:
                self._remember(offset, first)
            block = self._block(offset)
            lines, offset = block.lines, block.end
            if not lines:
                return
            if block.is_suspect:
                self.suspect_until = max(self.suspect_until, first + len(lines))
            skip = max(0, line - first)
            first += len(lines)
            self.position = offset
            if skip < len(lines):
                # No slice: reading starts again after each broken record, so a copy of the rest would be quadratic.
                yield map(lines.__getitem__, range(skip, len(lines))) if skip else lines

    def _block(self, offset: int) -> _Block:
        """Return the block at `offset`. The last one is kept, since reading starts again within it."""
        if self._last is None or self._last.begin != offset:
            text, end = self._load(offset)
            is_suspect = "\0" in text or not text.isascii() and (UNDECODABLE in text or OVERLONG in text)
            self._last = _Block(offset, end, io.StringIO(text, newline="").readlines(), is_suspect)
        return self._last

    def _remember(self, offset: int, first: int) -> None:
        marks = self._marks
        if marks[-1][1] < first:
            marks.append((offset, first))
        while len(marks) > 1 and marks[1][1] <= self.done:
            del marks[0]
        if first > self.done and offset - marks[0][0] > MAX_RECORD_BYTES:
            raise RecordTooLongError

    def _load(self, offset: int) -> tuple[str, int]:
        """Return the block at `offset` as text and the offset of the next one; an empty text at the end of the file."""
        self.stream.seek(offset)
        data = self._read(BLOCK_BYTES)
        complete = len(data) < BLOCK_BYTES
        while not complete:
            cut = self._last_line_end(data)
            if cut:
                data = data[:cut]
                break
            if len(data) > MAX_LINE_BYTES:
                return OVERLONG + "\n", self._after_line(offset + len(data) - self._unit)
            more = self._read(BLOCK_BYTES)
            complete = len(more) < BLOCK_BYTES
            data += more
        try:
            return data.decode(self.encoding), offset + len(data)
        except UnicodeDecodeError:
            return data.decode(self.encoding, MARK_UNDECODABLE), offset + len(data)

    def _read(self, size: int) -> bytes:
        """Read exactly `size` bytes unless the file ends, also from streams that return less."""
        data = self.stream.read(size) or b""
        while 0 < len(data) < size and (more := self.stream.read(size - len(data))):
            data += more
        return data

    def _last_line_end(self, data: bytes) -> int:
        """Return the length of `data` up to and including its last line end; 0 without one."""
        newline = self._find_last(data, self._newline)
        if newline >= 0:
            return newline + len(self._newline)
        # A carriage return at the very end may be the first half of a line end.
        back = self._find_last(data[: -len(self._return)], self._return)
        return back + len(self._return) if back >= 0 else 0

    def _find_last(self, data: bytes, mark: bytes) -> int:
        place = data.rfind(mark)
        while place > 0 and place % self._unit:
            place = data.rfind(mark, 0, place + len(mark) - 1)
        return -1 if place % self._unit else place

    def _after_line(self, offset: int) -> int:
        """Return the offset after the next line end at or after `offset`, or the file's end."""
        offset -= offset % self._unit
        self.stream.seek(offset)
        while data := self._read(BLOCK_BYTES):
            ends = [end for mark in (self._newline, self._return) if (end := self._find_first(data, mark)) >= 0]
            if ends:
                end = min(ends)
                both = data[end : end + 2 * len(self._newline)] == self._return + self._newline
                return offset + end + len(self._newline) * (2 if both else 1)
            offset += len(data)
        return offset

    def _find_first(self, data: bytes, mark: bytes) -> int:
        place = data.find(mark)
        while place > 0 and place % self._unit:
            place = data.find(mark, place + 1)
        return place
