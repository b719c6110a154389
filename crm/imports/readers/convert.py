"""Child process: convert one sheet of the workbook on stdin to lines on stdout.

The process is run by path with `python -I`, so it imports nothing of this project; the parent is workbook.py. A line is
`row number`, a space and a JSON array of cells, in which dates and times are ISO texts in arrays of their own. For a
row error it has a JSON object. Blank rows are omitted. The last line of stderr is a JSON report of the result, or
{"error": kind, "sheets": names}.

A crafted workbook may need any amount of memory or crash the parser: the limits below end only this process.
"""

from __future__ import annotations

import contextlib
import ctypes
import datetime
import errno
import os
import re
import resource
import signal
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import orjson

MEMORY_BYTES = 2 << 30
CPU_SECONDS = 300
OUTPUT_BYTES = 8 << 30
MAX_WHOLE_NUMBER = 10**15
FLUSH_LINES = 2_000
PR_SET_PDEATHSIG = 1
MAX_SHEETS_SEEN = 20
ROWS_SEEN = 60
RANKS = ("table", "named note", "note", "blank")
ADDRESS = re.compile(r"[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@.,;<>]{2,}")
NOTE_NAME = re.compile(
    r"^\W*(?:(?:please )?read ?me|notes?|info(?:rmation)?|instructions?|about|cover(?: ?(?:page|sheet))?|legend|help"
    r"|how ?to\b.*"
    r"|lies ?mich|hinweise?|anleitung|deckblatt|legende|hilfe|lisez ?moi|aide|leggimi|istruzioni|leeme|ayuda)\W*$",
    re.IGNORECASE,
)
NUL = b"\\u0000"
TOO_LONG = "A cell of this row is longer than {limit:,} characters. Shorten it."
UNREADABLE = "The row holds text that cannot be read. Type it again."
HOLDS_NUL = "The cell holds a NUL character. Remove it."


def limit_process() -> None:
    """Limit memory, time and output, and end with the parent."""
    with contextlib.suppress(OSError, AttributeError):
        # Linux ends the child with its parent. Otherwise a killed worker would
        # leave it at its work for minutes.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    for kind, value in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, OUTPUT_BYTES),
        # A core dump would write people's data to the disk.
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # Some systems refuse a limit on address space; the other limits still apply.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (value, value))


def normal(cell: Any) -> Any:
    """Return a cell as JSON can represent it: trimmed text or None, whole floats as integers, dates as a list of one
    ISO text."""
    kind = type(cell)
    if kind is str:
        return cell.strip() or None
    if kind is float:
        # A spreadsheet has only floats: 1 is 1.0 in it, and a phone number would be imported with ".0". From
        # 10^15 on a float no longer has all of its digits.
        if cell.is_integer() and abs(cell) < MAX_WHOLE_NUMBER:
            return int(cell)
        # JSON has neither NaN nor infinity, for which the difference is NaN.
        return cell if cell - cell == 0 else None
    if kind is datetime.timedelta:
        return str(cell)
    if kind is datetime.datetime or kind is datetime.date or kind is datetime.time:
        return [cell.isoformat()]
    return cell


def lines(rows: Iterable[list[Any]], cell_limit: int) -> Iterator[bytes]:
    """Yield one line for each row that is not blank."""
    for number, row in enumerate(rows, 1):
        cells = [normal(cell) for cell in row]
        while cells and cells[-1] is None:
            cells.pop()
        if not cells:
            continue
        problem = next(
            (index for index, cell in enumerate(cells) if type(cell) is str and len(cell) > cell_limit), None
        )
        if problem is not None:
            yield b"%d %s\n" % (number, orjson.dumps({"column": problem, "message": TOO_LONG.format(limit=cell_limit)}))
            continue
        try:
            content = orjson.dumps(cells)
        except TypeError:
            # Only text that is not valid Unicode fails here.
            content = orjson.dumps({"column": None, "message": UNREADABLE})
        if (
            NUL in content
            and (index := next((i for i, cell in enumerate(cells) if type(cell) is str and "\0" in cell), None))
            is not None
        ):
            content = orjson.dumps({"column": index, "message": HOLDS_NUL})
        yield b"%d %s\n" % (number, content)


def find_sheet(sheet_name: str, sheets: list[str]) -> str | None:
    """Return the sheet of this name, ignoring case and surrounding blanks; None if there is none."""
    if sheet_name in sheets:
        return sheet_name
    return next((name for name in sheets if name.strip().casefold() == sheet_name.casefold()), None)


def first_table(book: Any, names: list[str]) -> Any:
    """Return the first sheet that holds a table; without one the first that is not blank, or the very first."""
    best, best_rank = None, len(RANKS)
    for name in names[:MAX_SHEETS_SEEN]:
        sheet = book.get_sheet_by_name(name)
        rank = RANKS.index(shape(name, sheet.iter_rows()))
        if rank < best_rank:
            best, best_rank = sheet, rank
        if not rank:
            break
    return best


def shape(name: str, rows: Iterable[list[Any]]) -> str:
    """Return the shape of a sheet's first rows: a table, a note or nothing.

    A note has one column of text, or keys with values, or the name of a note.
    """
    seen = wide = addresses = keys = 0
    for row in islice(rows, ROWS_SEEN):
        cells = [cell for cell in row if cell not in ("", None)]
        if not cells:
            continue
        seen += 1
        wide += len(cells) > 1
        addresses += any(type(cell) is str and ADDRESS.fullmatch(cell.strip()) is not None for cell in cells)
        keys += len(cells) == 2 and type(cells[0]) is str and cells[0].rstrip().endswith(":")
    if not seen:
        return "blank"
    if NOTE_NAME.search(name):
        return "named note" if wide > 1 or addresses else "note"
    if addresses * 2 > seen or addresses > 2:
        return "table"
    return "table" if wide > 1 and keys * 2 < wide else "note"


def convert(sheet_name: str, cell_limit: int) -> dict[str, Any]:
    """Write the sheet to stdout and return the report."""
    import python_calamine as calamine  # noqa: PLC0415  the process limits itself before it loads the parser

    try:
        book = calamine.load_workbook(sys.stdin.buffer)
    except calamine.PasswordError:
        return {"error": "password"}
    names = list(book.sheet_names)
    sheet_name = sheet_name.strip()
    listed = [data for data in book.sheets_metadata if data.typ == calamine.SheetTypeEnum.WorkSheet]
    # Visible sheets first: a workbook often begins with a hidden sheet of lists.
    listed.sort(key=lambda data: data.visible != calamine.SheetVisibleEnum.Visible)
    sheets = [data.name for data in listed]
    if not sheets:
        return {"error": "empty", "sheets": names}
    name = find_sheet(sheet_name, sheets) if sheet_name else sheets[0]
    if name is None:
        return {"error": "sheet", "sheets": sheets[:100]}
    sheet = first_table(book, sheets) if not sheet_name and len(sheets) > 1 else book.get_sheet_by_name(name)
    # iter_rows() keeps the blank rows above the first cell, and leaves out the blank columns before it.
    first_column = (sheet.start or (0, 0))[1]
    count, batch = 0, []
    for line in lines(sheet.iter_rows(), cell_limit):
        count += 1
        batch.append(line)
        if len(batch) >= FLUSH_LINES:
            sys.stdout.buffer.write(b"".join(batch))
            batch.clear()
    sys.stdout.buffer.write(b"".join(batch))
    sys.stdout.buffer.flush()
    return {"rows": count, "sheet": sheet.name, "sheets": sheets[:100], "first_column": first_column}


def main() -> None:
    """Convert the workbook and report on stderr."""
    limit_process()
    sheet_name, cell_limit = sys.argv[1], int(sys.argv[2])
    try:
        report = convert(sheet_name, cell_limit)
    except MemoryError:
        report = {"error": "memory"}
    except OSError as error:
        kinds = {errno.ENOSPC: "space", errno.EDQUOT: "space", errno.EFBIG: "memory"}
        report = {"error": kinds.get(error.errno or 0, "damaged"), "detail": str(error)[:300]}
    except BaseException as error:  # noqa: BLE001 - the end of the process: parser panics are no Exception
        report = {"error": "damaged", "detail": f"{type(error).__name__}: {error}"[:300]}
    sys.stderr.write("\n" + orjson.dumps(report).decode() + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
    # Skip the interpreter's own exit, which would try again to write what a full disk has refused.
    os._exit(0)
