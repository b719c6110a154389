"""Detect a text file's encoding from a bounded part of it.

Byte order marks and valid UTF-8 decide first. Among the code pages, charset-normalizer mistook French and Turkish names
for other languages in our measurements (lists of names are too short for its models), so letters decide: the score of a
code page is the number of bytes above ASCII that become letters of its languages in plausible places. Only if no code
page of that table fits is charset-normalizer asked, which knows the East Asian ones.
"""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO

from charset_normalizer import from_bytes

from crm.files.mime.text import BOMS, is_utf8, looks_binary, utf16_without_mark
from crm.imports.readers.base import INVALID, ReaderError

SAMPLE_BYTES = 65_536
SCAN_BYTES = 1 << 20
JUDGED_BYTES = 8_192
WESTERN = "äöüßÄÖÜéèêëàâçîïôùûœÉÈÀÇÊÔáíóúñÁÍÓÚÑãõÃÕòìÔÎªº¿¡"
NORDIC = "åæøäöüéÅÆØÄÖÜÉ"
POLISH = "ąćęłńóśźżĄĆĘŁŃÓŚŹŻüöäé"
CZECH = "áčďéěíňóřšťúůýžÁČĎÉĚÍŇÓŘŠŤÚŮÝŽľĺŕôäĽüö"
HUNGARIAN = "áéíóöőúüűÁÉÍÓÖŐÚÜŰä"
ROMANIAN = "ăâîşţĂÂÎŞŢöüé"
CROATIAN = "čćđšžČĆĐŠŽöü"
TURKISH = "ğışİĞŞçÇöÖüÜâîû"
BALTIC = "āčēģīķļņšūžĀČĒĢĪĶĻŅŠŪŽąęėįųĄĘĖĮŲõäöüÕÄÖÜ"
CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЫЭЮЯёЁіїєґІЇЄҐ"
GREEK = "αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΆΈΉΊΌΎΏ"
HEBREW = "אבגדהוזחטיכלמנסעפצקרשתךםןףץ"
ARABIC = "ابتثجحخدذرزسشصضطظعغفقكلمنهويةىءآأإؤئپچژگ"
FREQUENT = frozenset("äöüßéèòçñáíóåøłąęśżčřšžůőűğışİаоеинтрсвлкАОЕИНТРСВЛКαοιετσνρκλςΑΟΙΕΤΣΝΡΚΛוילהאמרן")
# (codec, its alphabet, its worth). The first of equals wins. The alphabet of one language is better evidence than the
# letters of many, since a wrong code page yields letters that no single language combines.
CODE_PAGES: tuple[tuple[str, frozenset[str], float], ...] = (
    ("cp1252", frozenset(WESTERN), 0.0),
    ("cp1252", frozenset(NORDIC), 0.0),
    ("cp1250", frozenset(POLISH), 0.02),
    ("cp1250", frozenset(CZECH), 0.02),
    ("cp1250", frozenset(HUNGARIAN), 0.02),
    ("cp1250", frozenset(ROMANIAN), 0.02),
    ("cp1250", frozenset(CROATIAN), 0.02),
    ("cp1254", frozenset(TURKISH), 0.03),
    ("cp1252", frozenset(WESTERN + NORDIC), 0.1),
    ("cp1251", frozenset(CYRILLIC), 0.04),
    ("cp1253", frozenset(GREEK), 0.04),
    ("cp1257", frozenset(BALTIC), 0.06),
    ("cp1255", frozenset(HEBREW), 0.06),
    ("cp1256", frozenset(ARABIC), 0.06),
    ("cp866", frozenset(CYRILLIC), 0.2),
    ("cp850", frozenset(WESTERN), 0.2),
    ("cp1250", frozenset(POLISH + CZECH + HUNGARIAN + ROMANIAN + CROATIAN), 0.25),
    ("mac_roman", frozenset(WESTERN), 0.25),
    ("cp852", frozenset(POLISH + CZECH + HUNGARIAN), 0.3),
)
SCRIPTS = frozenset({"cp1251", "cp1253", "cp1255", "cp1256", "cp866"})
TYPOGRAPHY = frozenset("’‘“”„–—…•€£§°©®«»´` ")
WORD = re.compile(r"[^\W\d_]+")
GOOD_ENOUGH = 0.35


def detect_encoding(stream: BinaryIO) -> tuple[str, int]:
    """Return (Python codec name, bytes of mark to skip). Raises ReaderError for content that is not text."""
    stream.seek(0)
    head = stream.read(SAMPLE_BYTES)
    for mark, codec in BOMS:
        if head.startswith(mark):
            return codec, len(mark)
    wide = utf16_without_mark(head)
    if wide:
        return wide, 0
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


def choose_encoding(stream: BinaryIO, wanted: str | None) -> tuple[str, int]:
    """Return (Python codec name, bytes of mark to skip) of the encoding that the user chose, or else the detected one.

    Raises ReaderError for an unknown one and for content that is not text.
    """
    if not wanted:
        return detect_encoding(stream)
    encoding = known_encoding(wanted)
    stream.seek(0)
    head = stream.read(4)
    if encoding in ("utf-16", "utf-32"):
        for mark, codec in BOMS:
            if codec.startswith(encoding) and head.startswith(mark):
                return codec, len(mark)
        return f"{encoding}-le", 0
    for mark, codec in BOMS:
        if codec == encoding and head.startswith(mark):
            return encoding, len(mark)
    return encoding, 0


def known_encoding(name: str) -> str:
    """Return the codec for a user's input. Raises ReaderError for a codec that cannot be read line by line."""
    try:
        codec = codecs.lookup(name.strip()).name
        plain = codec.startswith("utf-16") or "\r\n,;+~".encode(codec) == b"\r\n,;+~"
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
        found = next(index for index, byte in enumerate(chunk) if byte > 127)
        begin = chunk.rfind(b"\n", 0, found) + 1
        sample = chunk[begin : begin + SAMPLE_BYTES]
        if len(sample) < SAMPLE_BYTES:
            sample += stream.read(SAMPLE_BYTES - len(sample))
        cut = sample.rfind(b"\n")
        return sample[: cut + 1] if cut > 0 and len(sample) == SAMPLE_BYTES else sample
    return b""


def _mostly_utf8(sample: bytes) -> bool:
    """Tell whether the sample has far more UTF-8 characters than invalid bytes: then those bytes are damage."""
    text = sample.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return broken * 10 < sum(char > "\x7f" for char in text) - broken


def guess_code_page(sample: bytes) -> str:
    """Return the code page that makes the best words of a sample with bytes above ASCII; cp1252 if none fits."""
    scores = []
    sample = sample[:JUDGED_BYTES]
    for codec, letters, price in CODE_PAGES:
        # A code page may lack a byte and still be right: one damaged cell must not decide for the whole file.
        text = sample.decode(codec, "replace")
        sign = 0.7 if codec.startswith("cp125") else 0.0
        scores.append((_score(text, letters, codec in SCRIPTS, sign) - price, codec))
    best_score, best = max(scores, key=lambda pair: pair[0])
    if best_score >= GOOD_ENOUGH:
        return best
    return _ask_charset_normalizer(sample) or "cp1252"


def _ask_charset_normalizer(sample: bytes) -> str | None:
    wide = ["cp932", "gb18030", "big5", "cp949", "euc_jp", "euc_kr"]
    match = from_bytes(sample[:16_384], cp_isolation=wide).best()
    return match.encoding if match else None


def _score(text: str, letters: frozenset[str], script: bool, sign: float) -> float:
    """Return the mean worth of the characters above ASCII: 1 for a frequent letter in its place, `sign` for a quote or
    dash, -1 for any other."""
    total, count = 0.0, 0
    for word in WORD.finditer(text):
        value, number = _score_word(word.group(), letters, script)
        total, count = total + value, count + number
    for char in text:
        if char > "\x7f" and not char.isalpha():
            count += 1
            total += sign if char in TYPOGRAPHY else -1.0
    return total / count if count else 0.0


def _score_word(word: str, letters: frozenset[str], script: bool) -> tuple[float, int]:
    total, count, run = 0.0, 0, 0
    mixed = script and any(char < "\x80" for char in word)
    upper = word.isupper()
    for index, char in enumerate(word):
        if char < "\x80":
            run = 0
            continue
        count += 1
        run += 1
        if char not in letters or mixed:
            total -= 1.0
        elif index and char.isupper() and not upper or not script and run > 2 or char == "ς" and index < len(word) - 1:
            total -= 0.5
        else:
            total += 1.0 if char in FREQUENT else 0.7
    return total, count
