"""The formats of exports: what stands in a cell, that nothing runs as a formula, and that the importer reads back what
was written."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from python_calamine import CalamineWorkbook

from core.text.formats import Formats
from core.text.formulas import INVISIBLE, MARKED, escape_formula, restore
from crm.exports.columns import cell
from crm.exports.formats import FORMATS
from crm.exports.formats.xlsx import MAX_TEXT, XlsxFormat
from crm.imports.columns.mapping import cell_text

BERLIN = Formats("Europe/Berlin", "dd.mm.yyyy", "HH:mm")
MOMENT = datetime(2026, 7, 31, 22, 30, 15, 123000, UTC)


def written(format: str, rows: list[list[Any]], headers: list[str] | None = None, formats: Formats = BERLIN) -> bytes:
    target = io.BytesIO()
    FORMATS[format].write(target, headers or [f"c{n}" for n in range(len(rows[0]))], iter(rows), formats, None)
    return target.getvalue()


def read_csv(content: bytes) -> list[list[str]]:
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def read_xlsx(content: bytes, sheet: int = 0) -> list[list[Any]]:
    return CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(sheet).to_python()


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_writes_an_empty_list_with_its_headers(name: str) -> None:
    content = written(name, [], ["_id", "=name"])
    rows = read_csv(content) if name == "csv" else read_xlsx(content)
    assert rows == [["_id", "'=name" if name == "csv" else "=name"]]
    assert FORMATS[name].name == name


def test_csv_cells() -> None:
    row = [None, True, 7, 1.5, Decimal("12.50"), MOMENT, date(2026, 1, 2), 'a "quoted", text\nof lines', "ä€😀"]
    assert read_csv(written("csv", [row]))[1] == [
        *("", "true", "7", "1.5", "12.50", "01.08.2026 00:30", "02.01.2026"),
        *('a "quoted", text\nof lines', "ä€😀"),
    ]


def test_xlsx_cells() -> None:
    row = [None, True, 7, 1.5, Decimal("12.50"), MOMENT, date(2026, 1, 2), "=1+1", 10**17, "https://x.example", "12"]
    assert read_xlsx(written("xlsx", [row]))[1] == [
        *("", True, 7.0, 1.5, 12.5, datetime(2026, 8, 1, 0, 30, 15, 123000), date(2026, 1, 2)),
        *("=1+1", str(10**17), "https://x.example", "12"),
    ]


def test_moments_in_a_workbook_look_as_the_company_writes_them() -> None:
    content = written("xlsx", [[MOMENT, date(2026, 1, 2)]], formats=Formats("UTC", "d mmm yyyy", "hh:mm a"))
    styles = zipfile.ZipFile(io.BytesIO(content)).read("xl/styles.xml").decode()
    assert 'formatCode="d mmm yyyy"' in styles
    assert 'formatCode="d mmm yyyy hh:mm AM/PM"' in styles


def test_a_workbook_has_no_formula_and_no_link_whatever_the_text() -> None:
    hostile = [
        [f"{mark}cmd|' /C calc'!A0", "http://x.example", "mailto:a@b.example", "internal:Sheet1!A1"] for mark in MARKED
    ]
    archive = zipfile.ZipFile(io.BytesIO(written("xlsx", hostile)))
    sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "hyperlink" not in sheet
    assert sheet.count('t="inlineStr"') == 4 * len(hostile) + 4


def test_a_list_longer_than_a_sheet_goes_on_in_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(XlsxFormat, "max_rows", 4)
    content = written("xlsx", [[n] for n in range(7)], ["n"])
    assert CalamineWorkbook.from_filelike(io.BytesIO(content)).sheet_names == ["Sheet1", "Sheet2", "Sheet3"]
    assert [[row[0] for row in read_xlsx(content, sheet)] for sheet in range(3)] == [
        ["n", 0, 1, 2],
        ["n", 3, 4, 5],
        ["n", 6],
    ]


def test_a_text_longer_than_a_cell_is_cut() -> None:
    whole, cut = read_xlsx(written("xlsx", [["x" * MAX_TEXT, "y" * (MAX_TEXT + 1)]]))[1]
    assert whole == "x" * MAX_TEXT
    assert cut == "y" * (MAX_TEXT - 1) + "…"
    assert read_csv(written("csv", [["y" * (MAX_TEXT + 1)]]))[1] == ["y" * (MAX_TEXT + 1)]


def test_control_characters_do_not_damage_a_workbook() -> None:
    text = "a\x01b\x1fc\ufffe\uffffd_x0041_"
    (found,) = read_xlsx(written("xlsx", [[text]]))[1]
    # The two that XML has no place for stand in Excel's own escape, which the reader leaves as it is.
    assert found == "a\x01b\x1fc_xFFFE__xFFFF_d_x0041_"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("=1+1", "'=1+1"),
        ("+49 170 1234567", "+49 170 1234567"),
        ("-12.5", "-12.5"),
        ("-12.5+cmd", "'-12.5+cmd"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("＝1", "'＝1"),
        ("'=1", "''=1"),
        ("'+49", "''+49"),
        ("O'Neil", "O'Neil"),
        ("'quoted'", "'quoted'"),
        (";=1+1", ";'=1+1"),
        ('a";=1+1', "a\";'=1+1"),
        ("a\t @SUM(A1)", "a\t' @SUM(A1)"),
        ("a;\ufeff=1", "a;'\ufeff=1"),
        ("a\n=1+1", "a\n'=1+1"),
        ("a;'=1", "a;''=1"),
        ("+49 170 1; +49 170 2; -3.5", "'+49 170 1; +49 170 2; -3.5"),
        ("red; green", "red; green"),
        ("\ufeff=1+1", "'\ufeff=1+1"),
        ("\u200b\u200b@SUM(A1)", "'\u200b\u200b@SUM(A1)"),
        ("\u2067\u202e=1+1", "'\u2067\u202e=1+1"),
        ("\u3000+cmd|x", "'\u3000+cmd|x"),
        ("\ufe0f@SUM(A1)", "'\ufe0f@SUM(A1)"),
        ("a;\u034f\u2009=1", "a;'\u034f\u2009=1"),
        (" \u00a0-5,20", " \u00a0-5,20"),
        ("", ""),
    ],
)
def test_defused_texts(text: str, expected: str) -> None:
    assert escape_formula(text) == expected
    assert restore(expected) == text


@given(st.text(alphabet="'=+-@\t\r\n＝ 1a(;\ufeff\u200b\u00a0\u2066\u034f"))
@example("''''=")
@example(";'-1")
def test_what_is_defused_neither_runs_nor_is_lost(text: str) -> None:
    safe = escape_formula(text)
    assert restore(safe) == text
    assert not safe.lstrip(INVISIBLE).startswith(MARKED) or set(safe) <= set("+- 1(\t\r\n" + INVISIBLE)
    for cell_of_another_locale in re.split(r"[;\t\r\n]", safe)[1:]:
        begins = cell_of_another_locale.lstrip(" " + INVISIBLE)
        assert not begins.startswith(("=", "@", "＝", "+", "-")) or set(begins) <= set("+- 1(" + INVISIBLE)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([], ""),
        (["red", "green"], "red; green"),
        (["a, b"], "a, b;"),
        (["a; b"], '["a; b"]'),
        (["[1]"], '["[1]"]'),
        ([{"_id": "1", "name": "VIP"}, {"_id": "2", "name": "Fair"}], "VIP; Fair"),
        ([{"city": "Rome"}], '[{"city":"Rome"}]'),
        ({"city": "Rome"}, '{"city":"Rome"}'),
        (0, 0),
        (False, False),
        (None, None),
    ],
)
def test_values_with_parts(value: Any, expected: Any) -> None:
    assert cell(value) == expected


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)


@pytest.mark.parametrize("name", FORMATS)
def test_any_text_comes_back_through_the_importers_eyes(name: str) -> None:
    @given(st.lists(TEXTS, min_size=1, max_size=8))
    def check(texts: list[str]) -> None:
        content = written(name, [[text] for text in texts])
        found = [row[0] for row in (read_csv(content) if name == "csv" else read_xlsx(content))[1:]]
        found += [""] * (len(texts) - len(found))  # a workbook ends with its last filled row
        if name == "xlsx":
            texts = [text.replace("\r\n", "\n").replace("\r", "\n") for text in texts]
            found = [text.replace("\r\n", "\n").replace("\r", "\n") for text in found]
        assert [cell_text(text) if text else "" for text in found] == texts

    check()
