"""Open an import file of any format as a table."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import ExitStack
from typing import BinaryIO

from crm.files.mime import detect_type
from crm.files.mime.types import CSV, ODS, PLAIN, TSV, VCARD, XLS, XLSX
from crm.imports.readers.base import EMPTY_FILE, FETCH_FAILED, INVALID, UNSUPPORTED, ReaderError, Table
from crm.imports.readers.delimited import DelimitedTable
from crm.imports.readers.encoding import known_encoding
from crm.imports.readers.vcard import CardTable
from crm.imports.readers.workbook import WorkbookTable, is_encrypted

FILE_FORMATS = {CSV: "csv", PLAIN: "csv", TSV: "tsv", XLSX: "xlsx", XLS: "xls", ODS: "ods", VCARD: "vcf"}
ALIASES = {"text/x-vcard": "vcf", "text/directory": "vcf"}
WORKBOOKS = ("xlsx", "xls", "ods")
COPY_BYTES = 1 << 20


def open_table(
    source: BinaryIO | str | os.PathLike[str],
    *,
    kind: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
) -> Table:
    """Open a CSV, TSV, XLSX, XLS, ODS or vCard file, given as a path or a binary stream; use it as a context manager.

    `kind` is one of those names in lower case, a mime type, or None to detect it. `delimiter`, `encoding`, `sheet`
    and `header_row` (0: there are no headers) override the detected ones. The file is checked only as far as the
    headers and the first rows. Raises ReaderError.
    """
    with ExitStack() as stack:
        stream = _open(source, stack)
        file_format = _find_kind(stream, kind, encoding)
        if sheet and file_format not in WORKBOOKS:
            problem = f"the file is no workbook and has no sheet {sheet[:80]!r}; leave it out"
            raise ReaderError(INVALID, problem, "options.sheet")
        table: Table
        try:
            if file_format in WORKBOOKS:
                table = WorkbookTable(stream, file_format, sheet, header_row)
            elif file_format == "vcf":
                table = CardTable(stream, encoding, header_row)
            else:
                table = DelimitedTable(stream, file_format, delimiter, encoding, header_row)
        except OSError as error:
            raise ReaderError(FETCH_FAILED, "The file cannot be read from its storage. Upload it again.") from error
        table.owned = stack.pop_all()
        return table


def _open(source: BinaryIO | str | os.PathLike[str], stack: ExitStack) -> BinaryIO:
    """Return the source as a seekable stream. The stack closes streams opened here; the caller's own stream stays
    open."""
    try:
        if isinstance(source, (str, os.PathLike)):
            return stack.enter_context(open(source, "rb"))
        if source.seekable():
            return source
        # Formats are read from the end (zip) or more than once, which a stream from a bucket does not allow.
        copy = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - the stack closes it
        shutil.copyfileobj(source, copy, COPY_BYTES)
    except OSError as error:
        raise ReaderError(FETCH_FAILED, "The file cannot be read from its storage. Upload it again.") from error
    return copy


def _find_kind(stream: BinaryIO, kind: str | None, encoding: str | None) -> str:
    """Return the format of the stream. The content decides: a name or a wish never makes binary content a text
    table."""
    if not stream.seek(0, 2):
        raise ReaderError(
            EMPTY_FILE, "The file is empty. Upload a file with a header row and at least one row below it."
        )
    file_format = FILE_FORMATS.get(kind or "") or ALIASES.get(kind or "", kind)
    if file_format is not None and file_format not in FILE_FORMATS.values():
        raise ReaderError(
            UNSUPPORTED,
            f"Files of the type {str(kind)[:80]!r} cannot be imported. Use CSV, TSV, XLSX, XLS, ODS or vCard.",
        )
    mime = detect_type(stream, f"file.{file_format or 'csv'}")
    content = FILE_FORMATS.get(mime or "")
    if content in WORKBOOKS or content == "vcf":
        return str(content)
    if is_encrypted(stream):
        raise ReaderError(INVALID, "The workbook is protected by a password. Save it without one and upload it again.")
    if file_format in WORKBOOKS:
        raise ReaderError(
            INVALID,
            f"The content is not a readable {file_format.upper()} workbook; it may be cut off. Save it again and upload"
            " it.",
        )
    if file_format == "vcf":
        raise ReaderError(INVALID, "The content is no vCard: it does not begin with BEGIN:VCARD. Export it again.")
    if mime is None and encoding and known_encoding(encoding).startswith("utf-16"):
        # UTF-16 without a mark is recognized only by its ASCII characters; without them the user has to say so.
        return file_format or "csv"
    if content is None:
        what = f"is {mime}" if mime else "is not text"
        code = UNSUPPORTED if file_format is None else INVALID
        raise ReaderError(
            code, f"The content {what}, whatever the file's name says. Export the table as CSV (UTF-8) or XLSX."
        )
    return file_format or content
