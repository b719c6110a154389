"""Workbooks: values of every kind, sheets, and hostile files that harm nothing."""

from __future__ import annotations

import datetime
import io
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from crm.imports.readers import ReaderError, RowError, open_table, workbook
from tests.crm.imports.readers.workbooks import Formula, ods, ole, write_xlsx, xls, xlsx
from tests.kit.examples import in_make_check

PROJECT = Path(__file__).resolve().parents[4]
MAKERS = {"xlsx": xlsx, "xls": xls, "ods": ods}
DAY = datetime.date(2024, 1, 31)


@pytest.fixture(params=MAKERS)
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def make(kind: str) -> Callable[..., bytes]:
    return MAKERS[kind]


def refused(content: bytes, kind: str | None = None, **options: str) -> ReaderError:
    with pytest.raises(ReaderError) as caught, open_table(io.BytesIO(content), kind=kind, **options):
        pass
    return caught.value


def repacked(content: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            new.writestr(info.filename, change(info.filename, old.read(info)))
    return target.getvalue()


def test_values(kind: str, make: Callable[..., bytes]) -> None:
    content = make(
        ["Name", "Phone", "Since", "Active", "Worth", "Note"],
        [" Ünal Şen ", 4915112345.0, DAY, True, 1.5, "=1+1"],
        [None, None, None, None, None, None],
        ["+49 151", 10**14, DAY, False, -2.25, "@cmd"],
    )
    with open_table(io.BytesIO(content)) as table:
        assert (table.kind, table.sheet, table.sheets, table.header_row) == (kind, "People", ("People",), 1)
        assert table.headers == ["Name", "Phone", "Since", "Active", "Worth", "Note"]
        rows = list(table.rows())
        assert rows == [
            (2, ["Ünal Şen", 4915112345, DAY, True, 1.5, "=1+1"]),
            (4, ["+49 151", 100000000000000, DAY, False, -2.25, "@cmd"]),
        ]
        assert [type(value) for value in rows[0][1]] == [str, int, datetime.date, bool, float, str]
        assert list(table.rows(3)) == rows[1:]
        assert table.count_rows() == 2
        assert table.sample(1) == [rows[0][1]]


def test_formula_gives_its_stored_value_and_moments_their_time() -> None:
    moment = datetime.datetime(2024, 2, 29, 13, 30, 15)
    with open_table(io.BytesIO(xlsx(["a", "b"], [Formula("SYSTEM()"), moment]))) as table:
        assert list(table.rows()) == [(2, [5, moment])]


def test_numbers_are_those_of_the_sheet(kind: str, make: Callable[..., bytes]) -> None:
    content = make([None, None, None], [None, None, None], [None, "a", None, "b"], [None, 1, None, 2])
    with open_table(io.BytesIO(content), kind=kind) as table:
        assert (table.header_row, table.headers) == (3, ["a", "Column C", "b"])
        assert list(table.rows()) == [(4, [1, None, 2])]


def test_ragged_rows(make: Callable[..., bytes]) -> None:
    with open_table(io.BytesIO(make(["a", "b"], *[[1]] * 100, [1, 2, 3], [1, 2]))) as table:
        rows = list(table.rows())
    assert [rows[0], rows[99], rows[101]] == [(2, [1, None]), (101, [1, None]), (103, [1, 2])]
    assert (rows[100].row, rows[100].column, rows[100].values) == (102, None, (1, 2, 3))


def test_columns_in_use_without_a_header_are_named_by_letter(make: Callable[..., bytes]) -> None:
    with open_table(io.BytesIO(make(["a", None, None], [1], [1, None, 3]))) as table:
        assert table.headers == ["a", "Column B", "Column C"]
        assert list(table.rows()) == [(2, [1, None, None]), (3, [1, None, 3])]


def test_sheets_are_chosen_by_name() -> None:
    target = io.BytesIO()
    write_xlsx(target, {"First": [["a"], [1]], "Müşteri Listesi": [["b"], [2]]})
    with open_table(target, sheet="Müşteri Listesi") as table:
        assert (table.sheet, table.sheets, list(table.rows())) == (
            "Müşteri Listesi",
            ("First", "Müşteri Listesi"),
            [(2, [2])],
        )
    with open_table(target) as table:
        assert table.sheet == "First"
    error = refused(target.getvalue(), sheet="Third")
    assert (error.code, "'First', 'Müşteri Listesi'" in error.message) == ("InvalidDataFormat_400", True)
    for name in ("nul\0", "\ud800", "x" * 500_000):
        assert refused(target.getvalue(), sheet=name).code == "InvalidDataFormat_400"


def test_empty_and_header_only(make: Callable[..., bytes]) -> None:
    assert refused(make([None, None])).code == "EmptyFile_400"
    assert refused(make(["a", "b"])).code == "NoRowsInFile_400"


def test_too_many_columns(make: Callable[..., bytes]) -> None:
    columns = 250 if make is xls else 501
    content = make([f"c{index}" for index in range(columns)], [1])
    if make is xls:
        with open_table(io.BytesIO(content)) as table:
            assert len(table.headers) == 250
    else:
        error = refused(content)
        assert (error.code, "500 columns" in error.message) == ("InvalidDataFormat_400", True)


def test_long_and_broken_cells_cost_their_own_row() -> None:
    content = ods(["a", "b"], ["x", "y" * 100_001], ["x", "y" * 100_000])
    with open_table(io.BytesIO(content)) as table:
        error, good = table.rows()
    assert isinstance(error, RowError)
    assert (error.row, error.column) == (2, "b")
    assert good == (3, ["x", "y" * 100_000])


def test_a_path_is_opened_and_closed(tmp_path: Path) -> None:
    path = tmp_path / "people.bin"
    path.write_bytes(xlsx(["a"], [1]))
    before = len(os.listdir("/proc/self/fd"))
    with open_table(path) as table:
        assert list(table.rows()) == [(2, [1])]
    assert len(os.listdir("/proc/self/fd")) == before
    with pytest.raises(ReaderError) as caught:
        open_table(tmp_path / "missing.csv")
    assert caught.value.code == "ImportFileFetchFailed_400"


def test_a_name_never_makes_binary_content_text() -> None:
    content = xlsx(["a"], [1])
    with open_table(io.BytesIO(content), kind="csv") as table:
        assert table.kind == "xlsx"
    assert refused(b"a,b\n1,2\n", kind="xlsx").code == "InvalidDataFormat_400"
    assert refused(b"%PDF-1.7 text", kind="application/pdf").code == "UnsupportedFileType_400"
    assert refused(b"%PDF-1.7 text").code == "UnsupportedFileType_400"


class TestHostileFiles:
    def test_cut_off(self, kind: str, make: Callable[..., bytes]) -> None:
        content = make(["a", "b"], *[[f"name {number}", number] for number in range(500)])
        for share in (0.1, 0.5, 0.9, 0.99):
            assert refused(content[: int(len(content) * share)], kind=kind).code == "InvalidDataFormat_400"

    def test_damaged_bytes_end_in_rows_or_a_named_error(self, kind: str, make: Callable[..., bytes]) -> None:
        content = bytearray(make(["a", "b"], *[[f"name {number}", number] for number in range(50)]))
        for place in range(40, len(content), len(content) // 12):
            damaged = bytes(content[:place]) + b"\xff\x00\x13\x37" + bytes(content[place + 4 :])
            code = None
            try:
                with open_table(io.BytesIO(damaged), kind=kind) as table:
                    list(table.rows())
            except ReaderError as error:
                code = error.code
            assert code in {None, "InvalidDataFormat_400", "EmptyFile_400", "NoRowsInFile_400"}

    def test_encrypted(self) -> None:
        content = ole({"EncryptedPackage": b"x" * 5000, "EncryptionInfo": b"y"})
        for kind in ("xlsx", "csv", None):
            error = refused(content, kind)
            assert (error.code, "password" in error.message) == ("InvalidDataFormat_400", True)

    def test_zip_bomb_is_refused_before_unpacking(self) -> None:
        started = time.monotonic()
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as book:
            book.writestr("[Content_Types].xml", "<Types/>")
            book.writestr("xl/workbook.xml", "<workbook/>")
            with book.open("xl/worksheets/sheet1.xml", "w") as part:
                for _ in range(200):
                    part.write(b" " * (1 << 20))
        made = time.monotonic() - started
        started = time.monotonic()
        error = refused(target.getvalue(), "xlsx")
        assert ("unpacks to more" in error.message, error.code) == (True, "InvalidDataFormat_400")
        assert time.monotonic() - started < made

    def test_bomb_that_lies_about_its_size(self) -> None:
        def blow_up(name: str, content: bytes) -> bytes:
            return content.replace(b"<sheetData>", b"<sheetData>" + b" " * (80 << 20)) if "sheet1" in name else content

        content = bytearray(repacked(xlsx(["a"], [1]), blow_up))
        with zipfile.ZipFile(io.BytesIO(bytes(content))) as book:
            size = book.getinfo("xl/worksheets/sheet1.xml").file_size
        lie = (1000).to_bytes(4, "little")
        content = bytes(content).replace(size.to_bytes(4, "little"), lie)
        assert refused(content, "xlsx").code == "InvalidDataFormat_400"

    def test_entries_that_share_their_bytes(self) -> None:
        content = xlsx(["a"], [1])
        with zipfile.ZipFile(io.BytesIO(content)) as book:
            start = book.start_dir
        directory, end = content[start:-22], content[-22:]
        copies = 200
        count = int.from_bytes(end[8:10], "little") * copies
        end = end[:8] + count.to_bytes(2, "little") * 2 + (len(directory) * copies).to_bytes(4, "little") + end[16:]
        error = refused(content[:start] + directory * copies + end, "xlsx")
        assert (error.code, "unpacks to more" in error.message) == ("InvalidDataFormat_400", True)

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
    def test_full_disk(self) -> None:
        with open("/dev/full", "wb", buffering=0) as full, pytest.raises(ReaderError) as caught:
            workbook._convert(io.BytesIO(xlsx(["a"], [1])), full, "")
        assert "no room" in caught.value.message

    def test_directory_too_large_to_be_read(self) -> None:
        content = xlsx(["a"], [1])
        end = content[-22:]
        lie = content[:-22] + end[:12] + (1 << 30).to_bytes(4, "little") + end[16:]
        assert refused(lie, "xlsx").code == "InvalidDataFormat_400"

    def test_entity_bomb(self) -> None:
        levels = "".join(f'<!ENTITY e{level} "{f"&e{level - 1};" * 10}">' for level in range(1, 10))
        prolog = f'<!DOCTYPE x [<!ENTITY e0 "boom">{levels}]>'
        content = repacked(xlsx(["a"], ["BOMB"], prolog=prolog), lambda _, part: part.replace(b"BOMB", b"&e9;"))
        error = refused(content, "xlsx")
        assert (error.code, "damaged" in error.message) == ("InvalidDataFormat_400", True)

    def test_repeated_cells_do_not_eat_memory(self) -> None:
        content = ods(["a"], ["b"])
        bomb = b'<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"'  # noqa: E501
        content = repacked(content, lambda _, part: part.replace(b"<table:table-row><table:table-cell", bomb, 1))
        assert refused(content, "ods").code == "InvalidDataFormat_400"

    def test_cell_far_away_does_not_eat_memory(self) -> None:
        far = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
        content = repacked(xlsx(["a"], [1]), lambda _, part: part.replace(b"</sheetData>", far))
        error = refused(content, "xlsx")
        assert (error.code, "more memory" in error.message) == ("InvalidDataFormat_400", True)

    @pytest.mark.parametrize(
        ("program", "words"),
        [
            ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "more memory"),
            ("print('no report')", "damaged"),
            ("import time; time.sleep(60)", "too long"),
        ],
    )
    def test_failing_parser_harms_nothing(
        self, program: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        child = tmp_path / "child.py"
        child.write_text(program)
        monkeypatch.setattr(workbook, "CHILD", child)
        monkeypatch.setattr(workbook, "CHILD_SECONDS", 2)
        error = refused(xlsx(["a"], [1]), "xlsx")
        assert (error.code, words in error.message) == ("InvalidDataFormat_400", True)


@in_make_check
def test_killed_reader_leaves_no_child(tmp_path: Path) -> None:
    path = tmp_path / "large.xlsx"
    with path.open("wb") as target:
        write_xlsx(target, {"People": [["a"] * 20] * 20_000})
    program = f"from crm.imports.readers import open_table\nprint('ready', flush=True)\nwhile True: open_table({str(path)!r}).close()"  # noqa: E501
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=PROJECT)
    try:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        deadline = time.monotonic() + 20
        children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
        while not (pids := children.read_text().split()) and time.monotonic() < deadline:
            time.sleep(0.01)
        # Long enough for the child to have asked for the signal.
        time.sleep(0.3)
        pids = children.read_text().split() or pids
        assert pids
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait(10)
    deadline = time.monotonic() + 10
    while any(_runs(int(pid)) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [pid for pid in pids if _runs(int(pid))] == []


def _runs(pid: int) -> bool:
    try:
        return "convert.py" in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False
