"""Distinguish text from binary content by a bounded head of it."""

from __future__ import annotations

import codecs
import contextlib

BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    # Before UTF-16, whose mark is the beginning of this one.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Tab, line feed, form feed, carriage return, and the end-of-file character at the end of old exports.
CONTROLS = bytes(code for code in range(32) if code not in (9, 10, 12, 13, 26)) + b"\x7f"


def is_utf8(data: bytes) -> bool:
    """Return whether the bytes are UTF-8; the last character may be cut off."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return False
    return True


def wide_without_mark(head: bytes) -> str | None:
    """Return UTF-16 or UTF-32 with its byte order, recognized by the NULs without a mark, or None."""
    return utf32_without_mark(head) or utf16_without_mark(head)


def utf32_without_mark(head: bytes) -> str | None:
    """Return the byte order of UTF-32 without a mark, whose highest byte is always NUL, or None."""
    head = head[: len(head) & ~3]
    quarter = len(head) // 4
    for codec, highest, next_one in (("utf-32-le", 3, 2), ("utf-32-be", 0, 1)):
        if quarter >= 4 and head[highest::4].count(0) == quarter and head[next_one::4].count(0) * 2 >= quarter:
            with contextlib.suppress(UnicodeDecodeError):
                if not looks_binary(head.decode(codec).encode("utf-8", "replace")):
                    return codec
    return None


def utf16_without_mark(head: bytes) -> str | None:
    """Return the byte order of UTF-16 without a mark, recognized by the NULs next to its ASCII characters, or None."""
    head = head[: len(head) & ~1]
    if len(head) < 8 or b"\0" not in head:
        return None
    high_first, low_first = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    for codec, zeros, others in (("utf-16-le", low_first, high_first), ("utf-16-be", high_first, low_first)):
        if zeros * 4 >= half and others * 50 <= zeros:
            try:
                text = codecs.getincrementaldecoder(codec)().decode(head)
            except UnicodeDecodeError:
                continue
            if not looks_binary(text.encode("utf-8", "replace")):
                return codec
    return None


def looks_binary(head: bytes) -> bool:
    """Return whether more than one byte in fifty is a control code that text does not contain."""
    return len(head) > 0 and (len(head) - len(head.translate(None, CONTROLS))) * 50 > len(head)


def decode_head(head: bytes) -> str | None:
    """Return the head as text, to examine its structure; None if it is not text.

    Bytes that are not UTF-8 are read as Windows-1252, which is exact enough: all structural characters are ASCII.
    """
    for mark, codec in BOMS:
        if head.startswith(mark):
            text = codecs.getincrementaldecoder(codec)("replace").decode(head[len(mark) :])
            return None if looks_binary(text.encode("utf-8", "replace")) else text
    wide = wide_without_mark(head)
    if wide:
        return codecs.getincrementaldecoder(wide)("replace").decode(head)
    if looks_binary(head):
        return None
    if is_utf8(head):
        return codecs.getincrementaldecoder("utf-8")().decode(head)
    # Text of a code page is mostly ASCII or mostly letters; compressed data is neither and contains control codes.
    return head.decode("cp1252", "replace")
