"""Detect a text file's encoding from a bounded part of it.

Byte order marks and valid UTF-8 decide first. Among the code pages the likeliest one wins: the one with which the bytes
above ASCII form the likeliest words of a language (languages.py). Only if no language fits, charset-normalizer is used:
its models are of whole texts, and lists of names are too short for them.

Measured with one, three and all of about six names of a language, in 29 languages and 30 code pages. The share of files
read correctly is 88, 99 and 100 % (68, 78 and 81 % by alphabets alone, as before).
"""

from __future__ import annotations

import codecs
from typing import BinaryIO

from charset_normalizer import from_bytes

from crm.files.mime.text import BOMS, is_utf8, looks_binary, wide_without_mark
from crm.imports.readers.base import INVALID, ReaderError
from crm.imports.readers.languages import Evidence

SAMPLE_BYTES = 65_536
SCAN_BYTES = 1 << 20
JUDGED_BYTES = 8_192
WESTERN = ("de", "fr", "es", "pt", "it", "sv", "da", "nb", "fi", "nl", "is")
CENTRAL = ("pl", "cs", "sk", "hu", "ro", "hr", "sl")
EASTERN = ("ru", "uk", "bg", "sr")
BALTIC = ("lt", "lv", "et")
# (codec, its languages, the logarithm of how rare it is). The first of equals wins.
CODE_PAGES: tuple[tuple[str, tuple[str, ...], float], ...] = (
    ("cp1252", WESTERN, 0.0),
    ("cp1250", CENTRAL, -1.5),
    ("cp1251", EASTERN, -0.5),
    ("cp1253", ("el",), -1.0),
    ("cp1254", ("tr",), -1.0),
    ("cp1255", ("he",), -1.0),
    ("cp1256", ("ar", "fa"), -1.0),
    ("cp1257", BALTIC, -1.5),
    ("cp1258", ("vi",), -1.5),
    ("cp874", ("th",), -1.0),
    ("cp932", ("ja",), -1.0),
    ("gb18030", ("zh", "zh_Hant"), -0.5),
    ("big5", ("zh_Hant",), -1.0),
    ("cp949", ("ko",), -1.0),
    ("iso8859_15", (*WESTERN, "et", "cs"), -1.5),
    ("iso8859_2", CENTRAL, -2.5),
    ("koi8_r", ("ru",), -2.0),
    ("koi8_u", ("uk",), -2.5),
    ("mac_roman", WESTERN, -3.0),
    ("mac_latin2", CENTRAL, -5.0),
    ("cp850", WESTERN, -3.0),
    ("cp852", CENTRAL, -4.5),
    ("cp866", ("ru",), -3.0),
    ("euc_jp", ("ja",), -2.5),
    ("iso8859_5", ("ru", "uk", "bg"), -4.0),
    ("mac_cyrillic", ("ru", "uk"), -4.5),
    ("iso8859_7", ("el",), -3.0),
    ("iso8859_13", BALTIC, -4.0),
)
MIN_SCORE = -16.0
"""The likelihood, by byte above ASCII, below which no language fits."""
ENCODINGS: tuple[tuple[str, str], ...] = (
    ("utf-8", "UTF-8"),
    ("cp1252", "Western Europe (Windows-1252)"),
    ("cp1250", "Central Europe (Windows-1250)"),
    ("cp1251", "Cyrillic (Windows-1251)"),
    ("cp1254", "Turkish (Windows-1254)"),
    ("cp1253", "Greek (Windows-1253)"),
    ("cp1257", "Baltic (Windows-1257)"),
    ("cp1255", "Hebrew (Windows-1255)"),
    ("cp1256", "Arabic (Windows-1256)"),
    ("cp1258", "Vietnamese (Windows-1258)"),
    ("gb18030", "Chinese, simplified (GB18030)"),
    ("big5", "Chinese, traditional (Big5)"),
    ("cp932", "Japanese (Shift JIS)"),
    ("euc_jp", "Japanese (EUC-JP)"),
    ("cp949", "Korean (EUC-KR)"),
    ("cp874", "Thai (TIS-620)"),
    ("koi8-r", "Russian (KOI8-R)"),
    ("koi8-u", "Ukrainian (KOI8-U)"),
    ("utf-16", "UTF-16"),
    ("utf-32", "UTF-32"),
    ("iso8859-15", "Western Europe (ISO 8859-15)"),
    ("iso8859-2", "Central Europe (ISO 8859-2)"),
    ("mac-roman", "Western Europe (Macintosh)"),
    ("mac-latin2", "Central Europe (Macintosh)"),
    ("cp850", "Western Europe (DOS 850)"),
    ("cp852", "Central Europe (DOS 852)"),
    ("cp866", "Cyrillic (DOS 866)"),
)
"""The encodings that people can choose, as (codec, label), the most common first."""


def detect_encoding(stream: BinaryIO) -> tuple[str, int]:
    """Return (Python codec name, bytes of mark to skip). Raises ReaderError for content that is not text."""
    stream.seek(0)
    head = stream.read(SAMPLE_BYTES)
    for mark, codec in BOMS:
        if head.startswith(mark):
            return codec, len(mark)
    wide = wide_without_mark(head)
    if wide:
        return wide, 0
    # Decoding a picture by some code page always succeeds, and would import thousands of rows of garbage.
    if looks_binary(head):
        raise ReaderError(
            INVALID,
            "The file's content is not text, whatever its name says. Export the table as CSV (UTF-8) or XLSX and"
            " upload that.",
        )
    sample = _sample_above_ascii(stream)
    if not sample or is_utf8(sample) or _mostly_utf8(sample):
        return "utf-8", 0
    return guess_code_page(sample), 0


def choose_encoding(stream: BinaryIO, encoding_name: str | None) -> tuple[str, int]:
    """Return (Python codec name, bytes of mark to skip) of the encoding that the user chose, or else the detected one.

    Raises ReaderError for an unknown one and for content that is not text.
    """
    if not encoding_name:
        return detect_encoding(stream)
    encoding = known_encoding(encoding_name)
    stream.seek(0)
    head = stream.read(4)
    if encoding in ("utf-16", "utf-32"):
        for mark, codec in BOMS:
            if codec.startswith(encoding) and head.startswith(mark):
                return codec, len(mark)
        # Without a mark the bytes do not say their order. Windows writes the little end first.
        return f"{encoding}-le", 0
    for mark, codec in BOMS:
        if codec == encoding and head.startswith(mark):
            return encoding, len(mark)
    return encoding, 0


def known_encoding(name: str) -> str:
    """Return the codec for a user's input. Raises ReaderError for a codec that cannot be read line by line."""
    try:
        codec = codecs.lookup(name.strip()).name
        plain = codec.startswith(("utf-16", "utf-32")) or "\r\n,;+~".encode(codec) == b"\r\n,;+~"
    except (LookupError, UnicodeError, ValueError, TypeError) as error:
        raise ReaderError(
            INVALID, f"The encoding {name[:40]!r} is unknown. Give for example utf-8, utf-16 or cp1252."
        ) from error
    # Encodings with shift states cannot be read from the middle: the state at a line's start is unknown.
    if not plain or codec.startswith(("iso2022", "hz", "utf-7", "unicode", "raw_unicode", "idna", "punycode")):
        raise ReaderError(INVALID, f"The encoding {name[:40]!r} cannot be read. Save the file as UTF-8.")
    return "utf-8" if codec == "utf-8-sig" else codec


def _sample_above_ascii(stream: BinaryIO) -> bytes:
    """Return whole lines around the first bytes above ASCII, wherever they are in the file; empty for pure ASCII."""
    stream.seek(0)
    while chunk := stream.read(SCAN_BYTES):
        if chunk.isascii():
            continue
        position = next(index for index, byte in enumerate(chunk) if byte > 127)
        # From the beginning of a line, since a sample that begins within a character misleads the detection.
        begin = chunk.rfind(b"\n", 0, position) + 1
        sample = chunk[begin : begin + SAMPLE_BYTES]
        if len(sample) < SAMPLE_BYTES:
            sample += stream.read(SAMPLE_BYTES - len(sample))
        cut = sample.rfind(b"\n")
        return sample[: cut + 1] if cut > 0 and len(sample) == SAMPLE_BYTES else sample
    return b""


def _mostly_utf8(sample: bytes) -> bool:
    """Return whether the sample has far more UTF-8 characters than invalid bytes: then those bytes are damage."""
    text = sample.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return broken * 10 < sum(char > "\x7f" for char in text) - broken


def guess_code_page(sample: bytes) -> str:
    """Return the code page with which a sample with bytes above ASCII forms the likeliest words."""
    lines = [line for line in sample.splitlines(keepends=True) if not line.isascii()]
    judged = b"".join(lines)[:JUDGED_BYTES]
    best, best_score = "cp1252", float("-inf")
    for codec, languages, rarity in CODE_PAGES:
        # A code page may lack a byte and still be right: one damaged cell must not decide for the whole file.
        evidence = Evidence.of(judged.decode(codec, "replace"))
        score = rarity + evidence.fit(languages)
        if score > best_score:
            best, best_score = codec, score
    above = sum(byte > 127 for byte in judged)
    if best_score < MIN_SCORE * above:
        return _ask_charset_normalizer(sample) or best
    return best


def _ask_charset_normalizer(sample: bytes) -> str | None:
    match = from_bytes(sample[:16_384]).best()
    if match is None:
        return None
    try:
        return known_encoding(match.encoding)
    except ReaderError:
        return None
