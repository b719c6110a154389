"""Decide a file's type by magic numbers and structure, from a bounded number of bytes."""

from __future__ import annotations

import struct
from typing import BinaryIO

from crm.files.mime import archive, ole
from crm.files.mime.markup import text_type
from crm.files.mime.text import decode_head, looks_binary
from crm.files.mime.types import DOC, DOCX, MSG, ODP, ODS, ODT, PPT, PPTX, XLS, XLSX

# A signature of a type that is not allowed.
REFUSED = ""
HEAD_BYTES = 65_536
TAIL_BYTES = 4_096
PREFIXES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"%PDF-", "application/pdf"),
    (b"{\\rtf", "application/rtf"),
)
OFFICE_PARTS = (("word/document.xml", DOCX), ("xl/workbook.xml", XLSX), ("ppt/presentation.xml", PPTX))
OLE_STREAMS = (
    ("WordDocument", DOC),
    ("Workbook", XLS),
    ("Book", XLS),
    ("PowerPoint Document", PPT),
    ("__properties_version1.0", MSG),
)
BRANDS = {
    b"M4A ": "audio/mp4",
    b"M4B ": "audio/mp4",
    b"qt  ": "video/quicktime",
    b"avif": "image/avif",
    b"avis": "image/avif",
}
HEIC = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"})
MP4 = frozenset(
    {b"isom", b"iso2", b"iso4", b"iso5", b"iso6", b"mp41", b"mp42", b"avc1", b"M4V ", b"M4VH", b"dash", b"MSNV"}
)
BITMAP_HEADERS = frozenset({12, 16, 40, 52, 56, 64, 108, 124})
# Kilobits per second of layer III, by the index in a frame header: MPEG 1, then MPEG 2 and 2.5.
RATES_1 = (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
RATES_2 = (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
OGG_AUDIO = (b"\x01vorbis", b"OpusHead", b"Speex   ", b"\x7fFLAC")


def detect_type(stream: BinaryIO, name: str = "") -> str | None:
    """Return the allowed type of a seekable file's content, or None if it has none.

    The name only chooses between csv, tsv and plain text, where the content leaves that open. The stream ends at its
    start.
    """
    try:
        stream.seek(0)
        head = stream.read(HEAD_BYTES)
        mime_type = _binary(stream, head)
        return mime_type or None if mime_type is not None else _text(stream, head, name)
    finally:
        stream.seek(0)


def _binary(stream: BinaryIO, head: bytes) -> str | None:
    """Return the type of the signature: REFUSED for one that no text begins with, None without a signature."""
    for prefix, mime in PREFIXES:
        if head.startswith(prefix):
            return mime
    if head.startswith(b"RIFF"):
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(head[8:12])
    if head.startswith((b"PK\x03\x04", archive.END)):
        return _zip(stream)
    if head.startswith(ole.SIGNATURE):
        names = ole.stream_names(stream)
        return (
            REFUSED
            if "EncryptedPackage" in names
            else next((mime for part, mime in OLE_STREAMS if part in names), REFUSED)
        )
    if head.startswith(b"BM") and len(head) > 26 and struct.unpack_from("<I", head, 14)[0] in BITMAP_HEADERS:
        return "image/bmp"
    if head.startswith(b"OggS"):
        return "audio/ogg" if any(sign in head[:128] for sign in OGG_AUDIO) else None
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return "video/webm" if b"\x42\x82\x84webm" in head[:4096] else REFUSED
    if head[4:8] == b"ftyp":
        return _media(head)
    if head[4:8] in (b"moov", b"mdat", b"wide") and looks_binary(head[:64]):
        return "video/quicktime"
    return "audio/mpeg" if _is_mp3(stream, head) else None


def _zip(stream: BinaryIO) -> str:
    """Return the type of a zip: office documents by their parts, none for documents with macros, otherwise zip."""
    try:
        infos = archive.zip_entries(stream)
        names = {info.filename for info in infos}
        first = infos[0] if infos else None
        if first and first.filename == "mimetype":
            declared = archive.read_entry(stream, first, 100).strip().decode("ascii", "replace")
            if declared in (ODT, ODS, ODP):
                return declared
    except archive.ArchiveError:
        return REFUSED
    if "[Content_Types].xml" in names:
        if any(name.lower().endswith("vbaproject.bin") for name in names):
            return REFUSED
        return next((mime for part, mime in OFFICE_PARTS if part in names), REFUSED)
    return "application/zip"


def _media(head: bytes) -> str | None:
    """Return the type of ISO base media by its brands: the major one first, then the compatible ones."""
    size = min(struct.unpack_from(">I", head)[0], 512)
    brands = [head[8:12], *(head[place : place + 4] for place in range(16, size - 3, 4))]
    for brand in brands:
        if brand in BRANDS:
            return BRANDS[brand]
        if brand in HEIC:
            return "image/heic"
        if brand in MP4:
            return "video/mp4"
    return None


def _is_mp3(stream: BinaryIO, head: bytes) -> bool:
    """Return whether two MPEG audio frames follow each other, after an optional ID3 tag."""
    if head.startswith(b"ID3") and len(head) > 10:
        size = 0
        for byte in head[6:10]:
            size = size << 7 | byte & 0x7F
        stream.seek(10 + size)
        # Players tolerate padding between the tag and the sound.
        head = stream.read(HEAD_BYTES).lstrip(b"\0")
    length = _frame_length(head[:4])
    if not length:
        return False
    return len(head) <= length or _frame_length(head[length : length + 4]) > 0


def _frame_length(header: bytes) -> int:
    """Return the length in bytes of the MPEG layer III frame with this header; 0 for no header."""
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE0 != 0xE0:
        return 0
    version, layer = header[1] >> 3 & 3, header[1] >> 1 & 3
    rate_index, frequency_index = header[2] >> 4, header[2] >> 2 & 3
    if version == 1 or layer != 1 or rate_index in (0, 15) or frequency_index == 3:
        return 0
    newest = version == 3
    rates = RATES_1 if newest else RATES_2
    frequency = (44_100, 48_000, 32_000)[frequency_index] // {3: 1, 2: 2, 0: 4}[version]
    return (144 if newest else 72) * rates[rate_index - 1] * 1000 // frequency + (header[2] >> 1 & 1)


def _text(stream: BinaryIO, head: bytes, name: str) -> str | None:
    text = decode_head(head)
    if text is None:
        return None
    complete = len(head) < HEAD_BYTES
    tail = head[-TAIL_BYTES:]
    if not complete:
        size = stream.seek(0, 2)
        stream.seek(size - TAIL_BYTES)
        tail = stream.read(TAIL_BYTES)
        if looks_binary(tail) and b"\0" not in head:
            return None
    return text_type(text, complete, tail.decode("utf-8", "replace"), name)
