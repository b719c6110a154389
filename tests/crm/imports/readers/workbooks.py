"""Small workbooks made by hand, so that every byte of them is known."""

from __future__ import annotations

import datetime
import io
import struct
import zipfile
from collections.abc import Iterable, Sequence
from typing import BinaryIO
from xml.sax.saxutils import escape

CONTENT_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
EPOCH = datetime.datetime(1899, 12, 30)


class Formula(str):
    """A cell with a formula; the value that the program stored beside it is `5`."""


def letter(index: int) -> str:
    return chr(65 + index) if index < 26 else chr(64 + index // 26) + chr(65 + index % 26)


def serial(moment: datetime.datetime) -> float:
    return (moment - EPOCH) / datetime.timedelta(days=1)


def xlsx_cell(reference: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, Formula):
        return f'<c r="{reference}"><f>{escape(value)}</f><v>5</v></c>'
    if isinstance(value, bool):
        return f'<c r="{reference}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{reference}"><v>{value!r}</v></c>'
    if isinstance(value, datetime.datetime):
        return f'<c r="{reference}" s="2"><v>{serial(value)!r}</v></c>'
    if isinstance(value, datetime.date):
        return f'<c r="{reference}" s="1"><v>{int(serial(datetime.datetime.combine(value, datetime.time())))}</v></c>'
    return f'<c r="{reference}" t="inlineStr"><is><t xml:space="preserve">{escape(str(value))}</t></is></c>'


def xlsx_rows(rows: Iterable[Sequence[object]], first_row: int = 1) -> Iterable[str]:
    for number, row in enumerate(rows, first_row):
        yield (
            f'<row r="{number}">' + "".join(xlsx_cell(f"{letter(i)}{number}", v) for i, v in enumerate(row)) + "</row>"
        )


def write_xlsx(
    target: BinaryIO, sheets: dict[str, Iterable[Sequence[object]]], first_row: int = 1, prolog: str = ""
) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as book:
        book.writestr("[Content_Types].xml", CONTENT_TYPES)
        book.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{RELATIONS}">'
            f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        names = "".join(f'<sheet name="{escape(n)}" sheetId="{i}" r:id="rId{i}"/>' for i, n in enumerate(sheets, 1))
        book.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{names}</sheets></workbook>'
        )
        parts = "".join(
            f'<Relationship Id="rId{i}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>'
            for i in range(1, len(sheets) + 1)
        )
        parts += f'<Relationship Id="rId99" Type="{OFFICE}/styles" Target="styles.xml"/>'
        book.writestr("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{RELATIONS}">{parts}</Relationships>')
        book.writestr(
            "xl/styles.xml",
            f'<styleSheet xmlns="{MAIN}"><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/></cellXfs>'  # noqa: E501
            "</styleSheet>",
        )
        for index, rows in enumerate(sheets.values(), 1):
            with book.open(f"xl/worksheets/sheet{index}.xml", "w") as part:
                part.write(f'{prolog}<worksheet xmlns="{MAIN}"><sheetData>'.encode())
                for text in xlsx_rows(rows, first_row):
                    part.write(text.encode())
                part.write(b"</sheetData></worksheet>")


def xlsx(*rows: Sequence[object], **options: object) -> bytes:
    target = io.BytesIO()
    write_xlsx(target, {"People": rows}, **options)  # type: ignore[arg-type]
    return target.getvalue()


def ods(*rows: Sequence[object], sheet: str = "People") -> bytes:
    def cell(value: object) -> str:
        if value is None:
            return "<table:table-cell/>"
        if isinstance(value, bool):
            return f'<table:table-cell office:value-type="boolean" office:boolean-value="{str(value).lower()}"/>'
        if isinstance(value, int | float):
            return f'<table:table-cell office:value-type="float" office:value="{value}"><text:p>{value}</text:p></table:table-cell>'  # noqa: E501
        if isinstance(value, datetime.date):
            return f'<table:table-cell office:value-type="date" office:date-value="{value.isoformat()}"/>'
        return f'<table:table-cell office:value-type="string"><text:p>{escape(str(value))}</text:p></table:table-cell>'

    body = "".join("<table:table-row>" + "".join(map(cell, row)) + "</table:table-row>" for row in rows)
    space = "urn:oasis:names:tc:opendocument:xmlns:"
    content = (
        f'<office:document-content xmlns:office="{space}office:1.0" xmlns:table="{space}table:1.0" xmlns:text="{space}text:1.0">'  # noqa: E501
        f'<office:body><office:spreadsheet><table:table table:name="{sheet}">{body}</table:table></office:spreadsheet></office:body>'  # noqa: E501
        "</office:document-content>"
    )
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        book.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        )
        book.writestr("content.xml", content)
    return target.getvalue()


def _record(kind: int, body: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


def _xls_cell(row: int, column: int, value: object) -> bytes:
    place = struct.pack("<HHH", row, column, 0)
    if value is None:
        return b""
    if isinstance(value, bool):
        return _record(0x0205, place + bytes([value, 0]))
    if isinstance(value, datetime.date):
        days = serial(datetime.datetime.combine(value, datetime.time()))
        return _record(0x0203, struct.pack("<HHH", row, column, 1) + struct.pack("<d", days))
    if isinstance(value, int | float):
        return _record(0x0203, place + struct.pack("<d", value))
    text = str(value).encode("utf-16-le")
    return _record(0x0204, place + struct.pack("<HB", len(str(value)), 1) + text)


def biff(*rows: Sequence[object], sheet: str = "People") -> bytes:
    """Make a BIFF8 workbook stream with one sheet."""
    begin = struct.pack("<HHHHII", 0x0600, 0x0005, 0x0DBB, 0x07CC, 0, 6)
    formats = [_record(0x00E0, struct.pack("<HHHBBIIH", 0, number, 0, 0, 0, 0, 0, 0)) for number in (0, 14)]
    name = sheet.encode("latin-1")
    size = len(_record(0x0809, begin)) + sum(map(len, formats)) + 4 + 8 + len(name) + 4
    bound = _record(0x0085, struct.pack("<IBBBB", size, 0, 0, len(name), 0) + name)
    book = _record(0x0809, begin) + b"".join(formats) + bound + _record(0x000A)
    dimension = struct.pack("<IIHHH", 0, len(rows), 0, max(map(len, rows)), 0)
    cells = b"".join(_xls_cell(r, c, value) for r, row in enumerate(rows) for c, value in enumerate(row))
    start = struct.pack("<HHHHII", 0x0600, 0x0010, 0x0DBB, 0x07CC, 0, 6)
    return book + _record(0x0809, start) + _record(0x0200, dimension) + cells + _record(0x000A)


def ole(streams: dict[str, bytes]) -> bytes:
    """Make an OLE2 container with 512-byte sectors; every stream is padded to 4096 bytes, so that none needs the small
    table."""
    data = {name: content.ljust(4096, b"\0") for name, content in streams.items()}
    chains, body = [], b""
    for content in data.values():
        padded = content + b"\0" * (-len(content) % 512)
        chains.append((len(body) // 512, len(padded) // 512, len(content)))
        body += padded
    entries = [_entry("Root Entry", 5, 0xFFFFFFFE, 0, child=1)]
    for index, (name, chain) in enumerate(zip(data, chains, strict=True), 1):
        entries.append(_entry(name, 2, chain[0], chain[2], right=index + 1 if index < len(data) else 0xFFFFFFFF))
    directory = b"".join(entries)
    directory += _entry("", 0, 0, 0) * (-len(entries) % 4)
    first_directory = len(body) // 512
    directory_sectors = len(directory) // 512
    sectors = first_directory + directory_sectors
    fat_sectors = 1
    while (sectors + fat_sectors) > fat_sectors * 128:
        fat_sectors += 1
    fat = []
    for start, count, _ in [*chains, (first_directory, directory_sectors, 0)]:
        fat += [*range(start + 1, start + count), 0xFFFFFFFE]
    fat += [0xFFFFFFFD] * fat_sectors
    fat += [0xFFFFFFFF] * (fat_sectors * 128 - len(fat))
    difat = [sectors + index for index in range(fat_sectors)] + [0xFFFFFFFF] * (109 - fat_sectors)
    header = (
        bytes.fromhex("d0cf11e0a1b11ae1")
        + b"\0" * 16
        + struct.pack(
            "<HHHHH6xIIIIIIIII",
            0x3E,
            3,
            0xFFFE,
            9,
            6,
            0,
            fat_sectors,
            first_directory,
            0,
            4096,
            0xFFFFFFFE,
            0,
            0xFFFFFFFE,
            0,
        )
    )
    return header + struct.pack("<109I", *difat) + body + directory + struct.pack(f"<{len(fat)}I", *fat)


def _entry(name: str, kind: int, start: int, size: int, child: int = 0xFFFFFFFF, right: int = 0xFFFFFFFF) -> bytes:
    text = name.encode("utf-16-le")
    length = len(text) + 2 if name else 0
    return text.ljust(64, b"\0") + struct.pack("<HBBIII36xIQ", length, kind, 1, 0xFFFFFFFF, right, child, start, size)


def xls(*rows: Sequence[object], sheet: str = "People") -> bytes:
    return ole({"Workbook": biff(*rows, sheet=sheet)})
