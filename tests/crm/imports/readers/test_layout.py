"""The table is found in the file: preambles, titles, missing headers, footers and sheets."""

from __future__ import annotations

import datetime
import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crm.imports.readers import ReaderError, RowError, open_table
from crm.imports.readers.base import NOT_A_RECORD
from tests.crm.imports.readers.workbooks import ods, write_xlsx, xlsx
from tests.kit.examples import thorough

DAY = datetime.date(2024, 3, 9)
BODY = ["Ute Falk,ute@falk.example,+49 170 2000001,Falk", "Ivo Sand,ivo@sand.example,+49 170 2000002,Sand"]
HEADER = "Name,Email,Phone,Company"
NO_HEADERS = ["Column A", "Column B", "Column C"]


def read(content: bytes | str, **options: Any) -> tuple[int, list[str], list[int], list[int]]:
    """Return (header row, headers, rows of records, rows that are none)."""
    data = content if isinstance(content, bytes) else content.encode()
    with open_table(io.BytesIO(data), **{"kind": "csv", **options}) as table:
        items = list(table.rows())
        assert table.count_rows() == len(items)
        records = [item[0] for item in items if isinstance(item, tuple)]
        errors = [item for item in items if isinstance(item, RowError)]
        assert {error.code for error in errors} <= {NOT_A_RECORD}
        return table.header_row, list(table.headers), records, [error.row for error in errors]


PREAMBLES = {
    "notes of a network": 'Notes:\n"Some of them, as they wish, keep their address to themselves."\n\n',
    "a report's title and filters": "Contact report\nAs of 2024-03-09 08:15\nFiltered By\n  Show: All contacts\n\n",
    "keys and values": "Report:,Contacts\nPeriod:,2024\nExported:,2024-03-09\n\n",
    "one title without a blank row": "Guests of the fair\n",
    "a padded title": "Guests of the fair,,,\n,,,\n",
    "prose with the delimiter": "People who came, all of them, from near and far\n",
    "groups above the headers": "Person,,Contact,\n",
}


@pytest.mark.parametrize("preamble", PREAMBLES.values(), ids=PREAMBLES)
def test_header_below_a_preamble(preamble: str) -> None:
    number = preamble.count("\n") + 1
    found = read("\n".join([preamble + HEADER, *BODY]) + "\n")
    assert found == (number, HEADER.split(","), [number + 1, number + 2], [])


def test_preamble_with_other_delimiters_than_the_table() -> None:
    content = 'sep=;\n"Members, friends, guests"\nStand: 3.3.2024\n\nVorname;Ort\nUte;Ulm\nIvo;Bonn\n'
    assert read(content) == (4, ["Vorname", "Ort"], [5, 6], [])


def test_header_words_of_no_known_language_below_a_title() -> None:
    content = "Vendéglista\n\nNév,Cím,Telefonszám\nÁgi,Fő út 1,+36 1 2345678\nBéla,Fő út 2,+36 1 2345679\n"
    assert read(content)[:3] == (3, ["Név", "Cím", "Telefonszám"], [4, 5])


def test_list_of_one_column_below_its_title() -> None:
    assert read("Newsletter\n\nE-Mail\na@x.example\nb@x.example\n")[:3] == (3, ["E-Mail"], [4, 5])


@pytest.mark.parametrize("make", [xlsx, ods])
def test_title_above_a_table_that_begins_in_column_b(make: Any) -> None:
    content = make(
        [None, "Guest list of the spring fair", None, None],
        [None, "as of 9 March", None, None],
        [None, None, None, None],
        [None, "Name", "Phone", "Came on"],
        [None, "Ute Falk", "+49 170 2000001", DAY],
        [None, "Ivo Sand", "+49 170 2000002", DAY],
        [None, None, None, None],
        [None, "Total", 2, None],
    )
    assert read(content, kind=None) == (4, ["Name", "Phone", "Came on"], [5, 6], [8])


HEADERLESS = {
    "an e-mail address": "Ute Falk,ute@falk.example,Ulm\nIvo Sand,ivo@sand.example,Bonn\n",
    "a phone number": "Ute Falk,+49 170 2000001,Ulm\nIvo Sand,+49 170 2000002,Bonn\n",
    "a national number": "Ute Falk,0170 2000001,Ulm\nIvo Sand,0170 2000002,Bonn\n",
    "a day": "Ute Falk,2024-03-09,Ulm\nIvo Sand,2024-03-10,Bonn\n",
    "a number": "Ute Falk,42,Ulm\nIvo Sand,38,Bonn\n",
    "a title above": "Ute Falk,ute@falk.example,customer\nIvo Sand,ivo@sand.example,lead\n",
}


@pytest.mark.parametrize("content", HEADERLESS.values(), ids=HEADERLESS)
def test_first_row_that_is_data_is_no_header(content: str) -> None:
    assert read(content) == (0, NO_HEADERS, [1, 2], [])


def test_title_above_rows_without_headers_is_listed() -> None:
    content = "Guests\n\nUte Falk,ute@falk.example,Ulm\nIvo Sand,ivo@sand.example,Bonn\nEva Land,eva@x.example,Rom\n"
    assert read(content) == (0, NO_HEADERS, [3, 4, 5], [1])


PLAIN = {
    "years": "Region,2022,2023\nNord,1,2\n",
    "months": "Shop,1,2,3\nNord,10,20,30\n",
    "unknown words": "Név,Cím\nÁgi,Pécs\nBéla,Győr\n",
    "texts alone": "Foo,Bar,Baz\nUlm,Bonn,Rom\nRom,Ulm,Bonn\n",
    "one header of three": "Kunde,,\nFalk GmbH,Ulm,1\nSand GmbH,Bonn,2\n",
    "one unknown header of two": "Firma X,\nFalk GmbH,Ulm\nSand GmbH,Bonn\n",
    "too wide rows": "Name,City\nUte,Ulm,too much,too much\nIvo,Bonn\n",
    "a dot": "Name.,E-Mail*\nUte,ute@x.example\n",
}


@pytest.mark.parametrize("content", PLAIN.values(), ids=PLAIN)
def test_plain_tables_keep_their_first_row_as_header(content: str) -> None:
    with open_table(io.BytesIO(content.encode()), kind="csv") as table:
        assert table.header_row == 1


WORDS = ["Name", "First name", "E-Mail", "Phone", "Company", "City", "Telefon", "Vorname", "Notes", "Created"]
VALUES = st.one_of(
    st.sampled_from(["", "Ute Falk", "ute@falk.example", "+49 170 2000001", "12", "2024-03-09", "Name", "Total: 3"]),
    st.text("abcäßЖ ", max_size=9).map(str.strip),
)


@settings(max_examples=thorough(200), deadline=None)
@given(
    headers=st.lists(st.sampled_from(WORDS), min_size=2, max_size=6, unique=True),
    data=st.data(),
)
def test_plain_tables_with_known_headers_have_them_in_row_1(headers: list[str], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.lists(VALUES, min_size=len(headers), max_size=len(headers)), min_size=1, max_size=8))
    filled = [row for row in rows if any(row)]
    content = "\n".join(";".join(row) for row in [headers, *rows]) + "\n"
    if not filled:
        return
    with open_table(io.BytesIO(content.encode()), kind="csv", delimiter=";") as table:
        assert (table.header_row, table.headers) == (1, headers)
        assert [item[0] if isinstance(item, tuple) else item.row for item in table.rows()] == [
            number for number, row in enumerate(rows, 2) if any(row)
        ]


class TestChosenHeaderRow:
    CONTENT = "a,b\nc,d\n\ne,f\n"

    def test_row_is_the_header(self) -> None:
        assert read(self.CONTENT, header_row=1) == (1, ["a", "b"], [2, 4], [])
        assert read(self.CONTENT, header_row=2) == (2, ["c", "d"], [4], [])

    def test_there_is_none(self) -> None:
        assert read(self.CONTENT, header_row=0) == (0, ["Column A", "Column B"], [1, 2, 4], [])

    @pytest.mark.parametrize(("row", "words"), [(3, "row 3 is empty"), (9, "no row 9")])
    def test_unusable_rows_are_refused(self, row: int, words: str) -> None:
        for content in (self.CONTENT.encode(), xlsx(["a", "b"], ["c", "d"], [None, None], ["e", "f"])):
            with pytest.raises(ReaderError) as caught:
                open_table(io.BytesIO(content), header_row=row)
            assert (caught.value.code, caught.value.field) == ("InvalidDataFormat_400", "options.headerRow")
            assert words in caught.value.message

    def test_far_below_the_first_rows(self) -> None:
        content = "".join(f"x{number},y\n" for number in range(1, 501)) + "Name,City\nUte,Ulm\n"
        assert read(content, header_row=501) == (501, ["Name", "City"], [502], [])


class TestRowsThatAreNoRecords:
    FOOTERS = (
        "Grand Totals (2 records)",
        "Total,,,2",
        "Summe:,,,12.500",
        '"Confidential - do not hand on"',
        '"Generated by: Ute Falk 9.3.2024"',
        '"Copyright (c) 2024 Falk, all rights reserved"',
        "Page 1 of 3",
        '"Seite 1 von 3"',
        '"Filtered by: all"',
    )

    @pytest.mark.parametrize("footer", FOOTERS)
    @pytest.mark.parametrize("gap", ["", "\n"])
    def test_footer(self, footer: str, gap: str) -> None:
        found = read("\n".join([HEADER, *BODY, f"{gap}{footer}"]) + "\n")
        assert found[2:] == ([2, 3], [5 if gap else 4])

    def test_block_below_a_blank_row(self) -> None:
        content = "\n".join([HEADER, *BODY, "", "Falk and Sons", "Office in Ulm", "", "keep it inside"])
        assert read(content)[2:] == ([2, 3], [5, 6, 8])

    def test_footers_of_a_short_table(self) -> None:
        content = f'{HEADER}\n{BODY[0]}\n\n\n"Internal - keep it inside"\n"Made by: Eva"\n"Falk and Sons"\n'
        assert read(content)[2:] == ([2], [5, 6, 7])

    def test_headers_again(self) -> None:
        assert read("\n".join([HEADER, BODY[0], HEADER.upper(), BODY[1]]))[2:] == ([2, 4], [3])

    def test_title_within(self) -> None:
        content = "\n".join([HEADER, BODY[0], "", "Region North", BODY[1], *BODY])
        assert read(content)[2:] == ([2, 5, 6, 7], [4])

    RECORDS = (
        "Cher,,,",
        ",lone@x.example,,",
        ",,+49 170 2000009,",
        "Total,total@x.example,,",
        "Total,,+33 1 23456789,",
        "Sum Tower,,,",
        "Total Energies,,,Total",
        "Ute,,,",
    )

    @pytest.mark.parametrize("record", RECORDS)
    def test_records_are_kept(self, record: str) -> None:
        content = "\n".join([HEADER, *BODY, record, *BODY])
        assert read(content)[2:] == ([2, 3, 4, 5, 6], [])

    def test_lists_in_which_one_value_is_usual(self) -> None:
        assert read("Name,Email\nUte,\nIvo,\nEva,eva@x.example\nMax,\n\nTom,\n")[2:] == ([2, 3, 4, 5, 7], [])
        assert read("Email\na@x.example\n\nb@x.example\n")[2:] == ([2, 4], [])

    def test_reading_goes_on_in_the_middle_with_the_same_result(self) -> None:
        block = "\n\nFalk and Sons\nUlm\nBonn\n\nRom\n"
        content = (HEADER + "\n" + ("\n".join(BODY) + block) * 12).encode()
        with open_table(io.BytesIO(content), kind="csv") as table:
            items = list(table.rows())
            numbers = [item[0] if isinstance(item, tuple) else item.row for item in items]
            for start in range(1, numbers[-1] + 2):
                expected = [item for item, number in zip(items, numbers, strict=True) if number >= start]
                assert list(table.rows(start)) == expected


class TestSheets:
    TABLE = [["Name", "Email"], ["Ute", "ute@falk.example"], ["Ivo", "ivo@sand.example"]]

    def sheet_of(self, sheets: dict[str, Any], **options: Any) -> str:
        target = io.BytesIO()
        write_xlsx(target, sheets)
        with open_table(target, **options) as table:
            assert table.sheets == tuple(sheets)
            return str(table.sheet)

    @pytest.mark.parametrize(
        "note",
        [
            [["Please read this first."], ["The people are on the other sheet."]],
            [["Made by:", "Ute"], ["Date:", "9 March"], ["For:", "all"]],
            [],
            [["Contacts 2024"]],
        ],
    )
    def test_notes_before_the_table_are_passed_over(self, note: list[list[str]]) -> None:
        assert self.sheet_of({"Start": note, "People": self.TABLE}) == "People"

    def test_note_by_its_name(self) -> None:
        note = [["Version", "3"], ["Author", "Ute"], ["Date", "today"]]
        assert self.sheet_of({"Read me": note, "People": self.TABLE}) == "People"

    def test_first_of_two_tables_is_taken(self) -> None:
        assert self.sheet_of({"A": [["x", "y"], ["1", "2"]], "B": self.TABLE}) == "A"

    def test_note_alone_is_read(self) -> None:
        assert self.sheet_of({"Notes": [["a"], ["b"]]}) == "Notes"

    @pytest.mark.parametrize("name", ["Müşteri Listesi", "müşteri listesi", "  Müşteri Listesi "])
    def test_name_in_any_case(self, name: str) -> None:
        assert self.sheet_of({"A": self.TABLE, "Müşteri Listesi": self.TABLE}, sheet=name) == "Müşteri Listesi"

    def test_exact_name_goes_first(self) -> None:
        assert self.sheet_of({"LIST": self.TABLE, "List": self.TABLE}, sheet="List") == "List"
