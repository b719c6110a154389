"""File types are decided from the content: real files of every type, impostors, and any bytes."""

from __future__ import annotations

import io
import random
import struct
import zipfile
import zlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crm.files.mime import ALLOWED, INLINE_SAFE, detect_type, is_inline_safe
from crm.files.mime.types import CSV, DOC, DOCX, HTML, MSG, ODP, ODS, ODT, PLAIN, PPT, PPTX, TSV, XLS, XLSX
from tests.crm.imports.readers.workbooks import ods, ole, xls, xlsx
from tests.kit.examples import thorough


def zipped(*names: str, first: str = "", store: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", store) as archive:
        if first:
            archive.writestr("mimetype", first)
        for name in names:
            archive.writestr(name, f"content of {name}")
    return target.getvalue()


def png() -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0\xff")) + chunk(b"IEND", b"")


def media(*brands: bytes) -> bytes:
    body = brands[0] + b"\0\0\0\0" + b"".join(brands[1:])
    return struct.pack(">I", 8 + len(body)) + b"ftyp" + body + struct.pack(">I4s", 8, b"mdat")


def riff(kind: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", 20) + kind + b"fmt \x10\0\0\0" + b"\0" * 16


FRAME = b"\xff\xfb\x90\x00" + b"\0" * 413
MAIL = b"Received: by x\r\nFrom: a@example.com\r\nTo: b@example.com\r\nSubject: Hi\r\n\r\nHello"
OOXML = "[Content_Types].xml"
FILES: dict[str, bytes] = {
    "image/jpeg": b"\xff\xd8\xff\xe0\0\x10JFIF\0" + b"\0" * 20,
    "image/png": png(),
    "image/gif": b"GIF89a\x01\0\x01\0\0\0\0;",
    "image/bmp": b"BM" + struct.pack("<IHHI", 58, 0, 0, 54) + struct.pack("<IiiHH", 40, 1, 1, 1, 24) + b"\0" * 28,
    "image/tiff": b"II*\0\x08\0\0\0" + b"\0" * 10,
    "image/svg+xml": b'<?xml version="1.0"?><!-- made by hand --><svg xmlns="http://www.w3.org/2000/svg"/>',
    "application/pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj<<>>endobj",
    "image/webp": riff(b"WEBP"),
    "image/heic": media(b"mif1", b"mif1", b"heic"),
    "image/avif": media(b"avif", b"mif1"),
    DOC: ole({"WordDocument": b"x"}),
    DOCX: zipped(OOXML, "word/document.xml"),
    XLS: xls(["a"], [1]),
    XLSX: xlsx(["a"], [1]),
    PPT: ole({"PowerPoint Document": b"x"}),
    PPTX: zipped(OOXML, "ppt/presentation.xml"),
    ODT: zipped("content.xml", first=ODT, store=zipfile.ZIP_STORED),
    ODS: ods(["a"], [1]),
    ODP: zipped("content.xml", first=ODP, store=zipfile.ZIP_STORED),
    "application/rtf": rb"{\rtf1\ansi Hello}",
    CSV: b"Name,Email\nAnn,ann@example.com\n",
    TSV: b"Name\tEmail\nAnn\tann@example.com\n",
    PLAIN: "Grüße aus Köln".encode(),
    HTML: b"\n<!-- x --><!DOCTYPE html><title>Hi</title>",
    "application/json": b'{"a": [1, 2]}',
    "application/xml": b'<?xml version="1.0"?><order><line/></order>',
    "text/vcard": b"BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ann\r\nEND:VCARD\r\n",
    "text/calendar": b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n",
    "message/rfc822": MAIL,
    MSG: ole({"__properties_version1.0": b"x"}),
    "application/zip": zipped("photos/one.txt"),
    "audio/mpeg": FRAME * 3,
    "audio/mp4": media(b"M4A ", b"isom"),
    "audio/wav": riff(b"WAVE"),
    "audio/ogg": b"OggS\0\x02" + b"\0" * 20 + b"\x01\x1e\x01vorbis" + b"\0" * 20,
    "video/mp4": media(b"isom", b"iso2", b"mp41"),
    "video/quicktime": media(b"qt  "),
    "video/webm": b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm\x42\x87\x81\x04",
}
EXTENSIONS = {CSV: "a.csv", TSV: "a.tsv"}


def test_there_are_39_types_and_the_contract_names_the_first() -> None:
    assert len(ALLOWED) == len(set(ALLOWED)) == 39
    assert ALLOWED[:8] == (
        *("image/jpeg", "image/jpg", "image/png", "image/gif", "image/bmp", "image/tiff", "image/svg+xml"),
        "application/pdf",
    )
    # The table of samples covers everything but the second name of JPEG.
    assert {*FILES, "image/jpg"} == set(ALLOWED)


@pytest.mark.parametrize("mime", FILES)
def test_content_decides(mime: str) -> None:
    stream = io.BytesIO(FILES[mime])
    stream.seek(3)
    assert detect_type(stream, EXTENSIONS.get(mime, "")) == mime
    assert stream.tell() == 0
    textual = mime in (CSV, TSV, PLAIN)
    assert textual or detect_type(io.BytesIO(FILES[mime]), "photo.png") == mime
    assert textual or detect_type(io.BytesIO(FILES[mime]), "list.csv") == mime


NAMES = {CSV: ("a.csv", "a.CSV"), TSV: ("a.tsv", "a.tab"), PLAIN: ("a.txt", "a", "csv", "a.png", "a.json", "")}


@pytest.mark.parametrize(("name", "mime"), [(name, mime) for mime, names in NAMES.items() for name in names])
def test_the_name_chooses_within_plain_text(name: str, mime: str) -> None:
    assert detect_type(io.BytesIO(b"one,two\nthree,four\n"), name) == mime


EXECUTABLES = {
    "exe": b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0" + b"\0" * 200,
    "elf": b"\x7fELF\x02\x01\x01" + b"\0" * 200,
    "class": b"\xca\xfe\xba\xbe\0\0\0\x34" + b"\0" * 60,
    "wasm": b"\0asm\x01\0\0\0" + b"\0" * 60,
    "gzip": b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + zlib.compress(bytes(range(256)) * 4),
    "matroska": b"\x1a\x45\xdf\xa3\xa3\x42\x82\x88matroska",
    "riff": riff(b"AVI "),
    "macros": zipped(OOXML, "word/document.xml", "word/vbaProject.bin"),
    "unknown office": zipped(OOXML, "visio/document.xml"),
    "encrypted": ole({"EncryptedPackage": b"x", "EncryptionInfo": b"y"}),
    "installer": ole({"Property": b"x"}),
    "cut zip": zipped("a.txt")[:40],
    "noise": random.Random(7).randbytes(4000),
    "bitmap by two letters": b"BM\0\0" + b"\0" * 40,
    "one frame sign": b"\xff\xfb\x90\x00" + b"\x01" * 3000,
}


@pytest.mark.parametrize("content", EXECUTABLES.values(), ids=EXECUTABLES)
@pytest.mark.parametrize("name", ["photo.png", "list.csv", "a.txt", "a.pdf"])
def test_impostors_are_refused(content: bytes, name: str) -> None:
    assert detect_type(io.BytesIO(content), name) is None


def test_binary_behind_a_text_head_is_refused() -> None:
    assert detect_type(io.BytesIO(b"a,b\n" * 40_000 + EXECUTABLES["exe"] * 30), "a.csv") is None


@pytest.mark.parametrize(
    ("content", "mime"),
    [
        (b"<svg onload=alert(1)>", "image/svg+xml"),
        (b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x"><svg/>', "image/svg+xml"),
        (b'<x:svg xmlns:x="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
        ("\ufeff<svg/>".encode(), "image/svg+xml"),
        ("<svg/>".encode("utf-16"), "image/svg+xml"),
        (b"   <script>alert(1)</script>", HTML),
        (b"<SCRIPT src=x>", HTML),
        (b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', HTML),
        ("<html>".encode("utf-16-le"), HTML),
        (b"<unknown><script>alert(1)</script></unknown>", "application/xml"),
        (b"<unknown <script>alert(1)", HTML),
        (b"<3 hearts, and nothing else", PLAIN),
        (b"{not json", PLAIN),
        (b"[1, 2", PLAIN),
        (b"[" * 100_000, PLAIN),
        (b"Note: one\nOther: two\n\ntext", PLAIN),
        (b"", PLAIN),
        ("Привет".encode("cp1251"), PLAIN),
        ("Hallo Welt".encode("utf-16-be"), PLAIN),
        (b"ID3\x04\0\0\0\0\0\x0a" + b"\0" * 10 + FRAME * 2, "audio/mpeg"),
        (struct.pack(">I", 32) + b"moov" + b"\0" * 100, "video/quicktime"),
    ],
)
def test_text_and_its_relatives(content: bytes, mime: str) -> None:
    assert detect_type(io.BytesIO(content), "a.txt") == mime


def test_long_json_is_known_by_both_ends_and_its_name() -> None:
    content = b'[{"a": 1}' + b',{"a": 1}' * 20_000 + b"]"
    assert detect_type(io.BytesIO(content), "a.json") == "application/json"
    assert detect_type(io.BytesIO(content), "a.txt") == PLAIN
    assert detect_type(io.BytesIO(content[:-1]), "a.json") == PLAIN


def test_nothing_that_runs_script_is_shown_in_place() -> None:
    assert set(ALLOWED) > INLINE_SAFE
    assert [mime for mime in ALLOWED if is_inline_safe(mime)] == [mime for mime in ALLOWED if mime in INLINE_SAFE]
    for mime in (
        "image/svg+xml",
        HTML,
        "application/xml",
        "application/json",
        PLAIN,
        CSV,
        "text/vcard",
        "application/zip",
        "x/y",
    ):
        assert not is_inline_safe(mime)
    assert is_inline_safe("image/png")


class Counting(io.BytesIO):
    """Counts the bytes that are read."""

    total = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.total += len(data)
        return data


@pytest.mark.parametrize("mime", ["image/png", CSV, "application/zip", DOC, "audio/mpeg", "application/json"])
def test_reads_are_bounded(mime: str) -> None:
    filler = b"a,b\n" if mime == CSV else b"\0"
    stream = Counting(FILES[mime] + filler * 20_000_000)
    detect_type(stream, "a.json")
    assert stream.total < 1_000_000


SIGNS = [content[:64] for content in [*FILES.values(), *EXECUTABLES.values()]]


@settings(max_examples=thorough(500), deadline=None)
@given(st.sampled_from([b"", *SIGNS]), st.binary(max_size=300), st.text(max_size=10))
@example(FILES[DOC][:512], b"", "")
def test_any_bytes_have_an_allowed_type_or_none(start: bytes, rest: bytes, name: str) -> None:
    assert detect_type(io.BytesIO(start + rest), name) in {None, *ALLOWED}


@settings(max_examples=thorough(150), deadline=None)
@given(st.sampled_from([DOC, XLS, XLSX, ODS, "application/zip", "image/heic"]), st.data())
def test_damaged_containers_never_raise(mime: str, data: st.DataObject) -> None:
    content = bytearray(FILES[mime])
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    assert detect_type(io.BytesIO(bytes(content[:cut])), "") in {None, *ALLOWED}
    assert detect_type(io.BytesIO(bytes(content)), "") in {None, *ALLOWED}
