"""Text tables: what is read, how rows are numbered, and what damage costs."""

from __future__ import annotations

import csv
import io
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crm.imports.readers import ReaderError, RowError, delimited, open_table
from crm.imports.readers.base import MAX_CELL_CHARS, MAX_COLUMNS
from tests.kit.examples import thorough


def read(content: bytes, **options: str) -> tuple[list[str], list]:
    with open_table(io.BytesIO(content), **{"kind": "csv", **options}) as table:
        rows = list(table.rows())
        assert table.count_rows() == len(rows)
        return table.headers, rows


def refused(content: bytes, **options: str) -> ReaderError:
    with pytest.raises(ReaderError) as caught, open_table(io.BytesIO(content), **{"kind": "csv", **options}):
        pass
    return caught.value


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_is_found(delimiter: str) -> None:
    content = '{0}\n"Doe{1} Ann"{1}12\nBo{1}3\n'.format(delimiter.join(["Name", "Age"]), delimiter)
    with open_table(io.BytesIO(content.encode()), kind="csv") as table:
        assert table.delimiter == delimiter
        assert list(table.rows()) == [(2, [f"Doe{delimiter} Ann".strip(), "12"]), (3, ["Bo", "3"])]


def test_decimal_commas_do_not_make_the_comma_the_delimiter() -> None:
    with open_table(io.BytesIO(b"Name;Worth\nAnn;1,5\nBo;2,5\nCy;3,5\n"), kind="csv") as table:
        assert (table.delimiter, table.headers) == (";", ["Name", "Worth"])


def test_delimiter_can_be_given() -> None:
    assert read(b"a;b,c\n1;2,3\n", delimiter=",") == (["a;b", "c"], [(2, ["1;2", "3"])])
    assert read(b"a~b\n1~2\n", delimiter="~") == (["a", "b"], [(2, ["1", "2"])])
    assert read(b"a\tb\n1\t2\n", delimiter="tab") == (["a", "b"], [(2, ["1", "2"])])


@pytest.mark.parametrize("delimiter", ["ab", '"', "\n", "x"])
def test_unusable_delimiter_is_refused(delimiter: str) -> None:
    assert refused(b"a,b\n1,2\n", delimiter=delimiter).code == "InvalidDataFormat_400"


def test_separator_line_of_excel_is_no_row() -> None:
    assert read(b"sep=;\na;b\n1;2\n") == (["a", "b"], [(2, ["1", "2"])])


def test_one_column() -> None:
    assert read(b"email\na@example.com\n\nb@example.com\n") == (
        ["email"],
        [(2, ["a@example.com"]), (4, ["b@example.com"])],
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    assert read(end.join(["a,b", "1,2", "3,4"]).encode()) == (["a", "b"], [(2, ["1", "2"]), (3, ["3", "4"])])


def test_row_numbers_count_blank_rows_and_records_not_lines() -> None:
    content = b'a,b\n"two\nlines",1\n\n , \nx,2\n'
    assert read(content) == (["a", "b"], [(2, ["two\nlines", "1"]), (5, ["x", "2"])])


def test_header_below_blank_rows() -> None:
    with open_table(io.BytesIO(b"\n,\na,b\n1,2\n"), kind="csv") as table:
        assert (table.header_row, table.headers, list(table.rows())) == (3, ["a", "b"], [(4, ["1", "2"])])


def test_headers_are_trimmed_unique_and_present() -> None:
    headers, _ = read(b" Email ,email,,Na\xc3\xafve  name,,\n1,2,3,4,,\n")
    assert headers == ["Email", "email (2)", "Column C", "Naïve name"]
    assert read(b"a,,\n1,2,\n") == (["a", "Column B"], [(2, ["1", "2"])])


def test_ragged_rows() -> None:
    _, rows = read(b"a,b,c\n1\n1,2,3,4\n1,2,3,,\n")
    assert rows[0] == (2, ["1", None, None])
    assert (rows[1].row, rows[1].column, rows[1].code, rows[1].values) == (
        3,
        None,
        "InvalidDataFormat_400",
        ("1", "2", "3", "4"),
    )
    assert "4 cells" in rows[1].message
    assert rows[2] == (4, ["1", "2", "3"])


def test_start_goes_on_at_a_row_number() -> None:
    content = b"a\n" + b"".join(b"%d\n" % number for number in range(2, 50_002))
    with open_table(io.BytesIO(content), kind="csv") as table:
        rows = list(table.rows(49_998))
        assert rows == [(number, [str(number)]) for number in range(49_998, 50_002)]


def test_iterations_do_not_disturb_each_other() -> None:
    content = b"a\n" + b"".join(b"%d\n" % number for number in range(2, 100_002))
    with open_table(io.BytesIO(content), kind="csv") as table:
        one, two = table.rows(), table.rows(60_000)
        for offset in range(40_000):
            assert next(one) == (2 + offset, [str(2 + offset)])
            assert next(two) == (60_000 + offset, [str(60_000 + offset)])


class TestDamage:
    def test_unclosed_quote_costs_its_own_row(self) -> None:
        _, rows = read(b'a,b\n1,2\n"x,3\ny,4\n"z",5\n')
        assert [rows[0], *rows[2:]] == [(2, ["1", "2"]), (4, ["y", "4"]), (5, ["z", "5"])]
        assert rows[1].row == 3
        assert "never closed" in rows[1].message

    def test_unclosed_quote_before_a_long_rest(self) -> None:
        rest = b"".join(b"name%d,%d\n" % (number, number) for number in range(100_000))
        _, rows = read(b'a,b\n"x,3\n' + rest)
        assert rows[0].row == 2
        assert rows[1:] == [(number + 3, [f"name{number}", str(number)]) for number in range(100_000)]

    def test_many_unclosed_quotes_far_apart(self) -> None:
        part = b'"open,1\n' + b"x,2\n" * 40_000
        _, rows = read(b"a,b\n" + part * 5)
        assert [row.row for row in rows if isinstance(row, RowError)] == [2 + 40_001 * index for index in range(5)]
        assert len(rows) == 5 * 40_001

    def test_crafted_quotes_take_bounded_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(delimited, "MAX_LONG_SCANS", 3)
        part = b'"open,1\n' + b"x,2\n" * 26_000
        content = io.BytesIO(b"a,b\n" + part * 4)
        with open_table(content, kind="csv") as table, pytest.raises(ReaderError) as caught:
            table.count_rows()
        assert caught.value.code == "InvalidDataFormat_400"

    def test_single_quote_inside_a_quoted_cell(self) -> None:
        _, rows = read(b'a,b\n"Ann "Bo" Cy",1\nx "y" z,2\n')
        assert "single quote" in rows[0].message
        assert rows[1] == (3, ['x "y" z', "2"])

    def test_long_cell_with_line_breaks_costs_one_row(self) -> None:
        cell = b"line\n" * (MAX_CELL_CHARS // 2)
        _, rows = read(b'a,b\n"' + cell + b'",1\nz,3\n')
        assert (rows[0].row, "longer than" in rows[0].message) == (2, True)
        assert rows[1:] == [(3, ["z", "3"])]

    def test_long_cell_in_one_line(self) -> None:
        _, rows = read(b"a,b\n" + b"x" * (MAX_CELL_CHARS + 1) + b",1\nz,3\n")
        assert (rows[0].row, rows[1:]) == (2, [(3, ["z", "3"])])
        assert read(b"a,b\n" + b"x" * MAX_CELL_CHARS + b",1\n")[1] == [(2, ["x" * MAX_CELL_CHARS, "1"])]

    @pytest.mark.parametrize("line", [b"x" * 30_000_000, b'"' + b"x" * 30_000_000 + b'"', b"," * 30_000_000])
    def test_endless_line_is_not_read_into_memory(self, line: bytes) -> None:
        content = io.BytesIO(b"a,b\n1,2\n" + line + b"\r\nz,3\r\n")
        tracemalloc.start()
        with open_table(content, kind="csv") as table:
            rows = list(table.rows())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 20_000_000
        assert [rows[0], rows[2]] == [(2, ["1", "2"]), (4, ["z", "3"])]
        assert "too long" in rows[1].message

    def test_endless_record_is_not_read_into_memory(self) -> None:
        record = b",".join([b'"' + b"x" * 50_000 + b'\n"'] * 400)
        _, rows = read(b"a,b\n" + record + b"\nz,3\n")
        assert (rows[0].row, rows[1:]) == (2, [(3, ["z", "3"])])

    def test_undecodable_byte_costs_its_own_row(self) -> None:
        content = "Name,Stadt\nJürgen,Köln\n".encode() + b"J\xfcrgen,Ulm\n" + "Käthe,Köln\n".encode() * 12
        _, rows = read(content)
        assert (rows[0], rows[2]) == ((2, ["Jürgen", "Köln"]), (4, ["Käthe", "Köln"]))
        assert (rows[1].row, rows[1].column, rows[1].values) == (3, "Name", ("J\ufffdrgen", "Ulm"))
        assert "not utf-8" in rows[1].message

    def test_nul_character_costs_its_own_row(self) -> None:
        _, rows = read(b"a,b\n" + b"fine,1\n" * 20 + b"x\0y,2\n" + b"fine,3\n" * 20)
        assert [(row.row, row.column) for row in rows if isinstance(row, RowError)] == [(22, "a")]
        assert len(rows) == 41


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "EmptyFile_400"),
        (b"\xef\xbb\xbf", "EmptyFile_400"),
        (b"\n\n ,\n", "EmptyFile_400"),
        (b"a,b\n", "NoRowsInFile_400"),
        (b"a,b\n\n,\n", "NoRowsInFile_400"),
        (b"\0" * 5000, "InvalidDataFormat_400"),
        (b"MZ\x90\0\x03\0\0\0" * 100, "InvalidDataFormat_400"),
        (b"\x89PNG\r\n\x1a\n" + b"IHDR" * 10, "InvalidDataFormat_400"),
        (b"<html><body><table></table></body></html>", "InvalidDataFormat_400"),
        (b"a," * MAX_COLUMNS + b"a\n1\n", "InvalidDataFormat_400"),
        (b"a," * 1_000_000 + b"\n1\n", "InvalidDataFormat_400"),
        (b'"a,b\n1,2\n', "InvalidDataFormat_400"),
    ],
)
def test_unusable_files_are_refused(content: bytes, code: str) -> None:
    assert refused(content).code == code


def test_progress_ends_at_the_whole() -> None:
    seen: list[tuple[int, float]] = []
    with open_table(io.BytesIO(b"a,b\n" + b"1,2\n" * 50_000), kind="csv") as table:
        assert table.count_rows(lambda rows, share: seen.append((rows, share))) == 50_000
    assert seen[-1] == (50_000, 1.0)
    assert [rows for rows, _ in seen[:-1]] == [20_000, 40_000]
    assert all(earlier[1] <= later[1] for earlier, later in zip(seen, seen[1:], strict=False))


def test_memory_stays_flat() -> None:
    content = io.BytesIO(b"Name,Email,Notes\n" + b'"Doe, Ann",ann@example.com,some notes\n' * 100_000)
    tracemalloc.start()
    with open_table(content, kind="csv") as table:
        count = sum(1 for _ in table.rows())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 100_000
    assert peak < 8_000_000


# What csv itself cannot keep apart, or a reader trims, is left out: it is no loss of this reader.
LETTERS = st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp", "Cf", "Co", "Cn"))
CELLS = st.text(st.one_of(LETTERS, st.sampled_from(',;\t|"\n ')), max_size=12).map(str.strip)


@settings(max_examples=thorough(150), deadline=None)
@given(
    rows=st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=8),
    delimiter=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le"]),
)
def test_what_csv_writes_is_read_back(rows: list[list[str]], delimiter: str, encoding: str) -> None:
    target = io.StringIO()
    csv.writer(target, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
        [["Name", "Email", "Note"], *rows]
    )
    content = target.getvalue().encode(encoding)
    expected = [(number, [cell or None for cell in row]) for number, row in enumerate(rows, 2) if any(row)]
    if not expected:
        assert refused(content, delimiter=delimiter).code == "NoRowsInFile_400"
        return
    options = {"encoding": "utf-16-le"} if encoding == "utf-16-le" else {}
    assert read(content, delimiter=delimiter, **options) == (["Name", "Email", "Note"], expected)


MESSY = st.one_of(st.binary(max_size=400), st.text('a1,;"\n\r\t|\0é', max_size=200).map(str.encode))


@settings(max_examples=thorough(300), deadline=None)
@given(content=MESSY, kind=st.sampled_from(["csv", "tsv", "xlsx", None]))
def test_any_bytes_are_read_or_refused_by_name(content: bytes, kind: str | None) -> None:
    code = None
    try:
        with open_table(io.BytesIO(content), kind=kind) as table:
            rows = list(table.rows())
            assert rows
            assert table.count_rows() == len(rows)
    except ReaderError as error:
        code = error.code
    assert code in {None, "EmptyFile_400", "NoRowsInFile_400", "UnsupportedFileType_400", "InvalidDataFormat_400"}
