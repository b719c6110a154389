"""vCards of all versions: what is read, what is left out, and what damage costs."""

from __future__ import annotations

import io
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crm.imports.readers import FieldSpec, ReaderError, RowError, open_table, propose_mapping
from tests.kit.examples import in_make_check, thorough

OLD = """BEGIN:VCARD
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Wei=C3=9F;J=C3=B6rg
FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg =
Wei=C3=9F
TEL;HOME;VOICE:030 901820
TEL;CELL;PREF:+49 170 2000001
TEL;WORK;FAX:+49 30 901821
EMAIL;INTERNET:joerg@weiss.example
NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Erste Zeile=0D=0A=
Zweite Zeile; gr=FC=
n
PHOTO;ENCODING=BASE64;JPEG:
 /9j/4AAQSkZJRgABAQAAAQABAAD
 ==

AGENT:
BEGIN:VCARD
VERSION:2.1
N:Agent;Adam
TEL:+49 170 2000009
END:VCARD
ADR;WORK:;;Hauptstr. 1;Ulm;;89073;Deutschland
BDAY:19790504
END:VCARD
"""
NEW = r"""BEGIN:VCARD
VERSION:4.0
FN:Zoë O’Neil
N:O’Neil;Zoë;Ann;Dr.;
item1.EMAIL;TYPE=work;PREF=2:second@oneil.example
item1.X-ABLabel:_$!<Other>!$_
EMAIL;PREF=1:first@oneil.example
TEL;VALUE=uri;TYPE="voice,home":tel:+1-555-555-0102
TEL;VALUE=uri;TYPE="cell,voice":tel:+1-555-555-0101;ext=5
ORG:ABC\, Inc.;North\; East;Sales
TITLE:Head of all
BDAY:--0504
ADR;TYPE=home;LABEL="1 Rd, X\nY: z":;;1 Rd;Town;;99;US
ADR:;;2 Rd;Village;;98;US
NOTE:one\ntwo\, three
CATEGORIES:vip,"fair"
URL:https://oneil.example
PHOTO:data:image/jpeg;base64,MICAgADF
END:VCARD
"""


def cards(content: bytes | str, **options: str) -> list[dict[str, str] | RowError]:
    data = content if isinstance(content, bytes) else content.encode()
    with open_table(io.BytesIO(data), **options) as table:
        items = list(table.rows())
        assert (table.kind, table.header_row, table.count_rows()) == ("vcf", 0, len(items))
        assert [item[0] if isinstance(item, tuple) else item.row for item in items] == list(range(1, len(items) + 1))
        return [
            item
            if isinstance(item, RowError)
            else {name: str(cell) for name, cell in zip(table.headers, item[1], strict=True) if cell is not None}
            for item in items
        ]


def card(*lines: str, version: str = "3.0") -> str:
    return "\r\n".join(["BEGIN:VCARD", f"VERSION:{version}", *lines, "END:VCARD", ""])


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_version_2_1(end: str) -> None:
    assert cards(OLD.replace("\n", end)) == [
        {
            "Name": "Jörg Weiß",
            "First name": "Jörg",
            "Last name": "Weiß",
            "Email": "joerg@weiss.example",
            "Phone": "+49 170 2000001",
            "Phone 2": "030 901820",
            "Fax": "+49 30 901821",
            "Street": "Hauptstr. 1",
            "City": "Ulm",
            "Postal code": "89073",
            "Country": "Deutschland",
            "Birthday": "1979-05-04",
            "Note": "Erste Zeile\nZweite Zeile; grün",
        }
    ]


def test_version_4_0() -> None:
    assert cards(NEW) == [
        {
            "Name": "Zoë O’Neil",
            "First name": "Zoë",
            "Middle name": "Ann",
            "Last name": "O’Neil",
            "Name prefix": "Dr.",
            "Email": "first@oneil.example",
            "Email 2": "second@oneil.example",
            "Phone": "+1-555-555-0101 ext. 5",
            "Phone 2": "+1-555-555-0102",
            "Company": "ABC, Inc.",
            "Department": "North; East, Sales",
            "Job title": "Head of all",
            "Street": "1 Rd",
            "City": "Town",
            "Postal code": "99",
            "Country": "US",
            "Address 2": "2 Rd, Village, 98, US",
            "Website": "https://oneil.example",
            "Birthday without year": "05-04",
            "Tags": 'vip, "fair"',
            "Note": "one\ntwo, three",
        }
    ]


def test_version_3_0_with_folded_lines_and_several_cards() -> None:
    folded = card(
        "N:Falk;Ute;;;",
        "FN:Ute Falk",
        "item1.EMAIL;type=INTERNET;type=WORK;type=pref:ute.falk.of.the.office@",
        " falk.example",
        "EMAIL;type=HOME:ute@home.example",
        "NOTE:a note that is fol",
        " ded",
    )
    assert cards(folded + card("FN:Ivo Sand", "TEL;type=CELL:+49 170 2000002") + "\r\n\r\n") == [
        {
            "Name": "Ute Falk",
            "First name": "Ute",
            "Last name": "Falk",
            "Email": "ute.falk.of.the.office@falk.example",
            "Email 2": "ute@home.example",
            "Note": "a note that is folded",
        },
        {"Name": "Ivo Sand", "Phone": "+49 170 2000002"},
    ]


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (["N:Falk;Ute;;Dr.;"], "Dr. Ute Falk"),
        (["ORG:Falk GmbH;Ulm"], "Falk GmbH"),
        (["N:;;;;", "FN:", "ORG:Falk GmbH"], "Falk GmbH"),
    ],
)
def test_cards_without_fn(lines: list[str], name: str) -> None:
    [found] = cards(card(*lines))
    assert isinstance(found, dict)
    assert found["Name"] == name


@pytest.mark.parametrize(
    ("line", "column", "value"),
    [
        ("BDAY:1979-05-04", "Birthday", "1979-05-04"),
        ("BDAY;value=date:1979-05-04", "Birthday", "1979-05-04"),
        ("BDAY:19790504T000000Z", "Birthday", "1979-05-04"),
        ("BDAY:--0504", "Birthday without year", "05-04"),
        ("BDAY:--05-04", "Birthday without year", "05-04"),
        ("BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-04", "Birthday without year", "05-04"),
        ("BDAY;VALUE=text:circa 1800", "Birthday", "circa 1800"),
        ("BDAY:1979-02-31", "Birthday", "1979-02-31"),
        ("CATEGORIES:a\\, b,c;d", "Tags", '["a, b","c;d"]'),
        ("TEL:tel:+49-170-2000001", "Phone", "+49-170-2000001"),
        ("EMAIL:mailto:ute@falk.example", "Email", "ute@falk.example"),
    ],
)
def test_values(line: str, column: str, value: str) -> None:
    assert cards(card("FN:Ute", line)) == [{"Name": "Ute", column: value}]


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "utf-32"])
def test_encodings(codec: str) -> None:
    content = card("FN:Jörg Weiß", "NOTE:Grüße aus Köln")
    assert cards(content.encode(codec)) == [{"Name": "Jörg Weiß", "Note": "Grüße aus Köln"}]


def test_fields_are_proposed_from_the_columns() -> None:
    with open_table(io.BytesIO((OLD + NEW).encode())) as table:
        names = {"name": "Name", "email": "Email", "number": "Number", "tags": "Tags"}
        fields = [FieldSpec(key, name) for key, name in names.items()]
        proposed = propose_mapping(table.headers, fields, table.sample())
    numbers, addresses = {"Phone": "number", "Phone 2": "number"}, {"Email": "email", "Email 2": "email"}
    assert proposed == {"Name": "name", **addresses, **numbers, "Tags": "tags"}


@pytest.mark.parametrize(
    "line",
    [
        "KIND:group",
        "kind;value=text:Group ",
        "X-ADDRESSBOOKSERVER-KIND:group",
        "item1.X-KIND:group",
        "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:12-34",
        "MEMBER:mailto:ute@falk.example",
        "KIND:location",
        "KIND:device",
    ],
)
def test_groups_are_no_records(line: str) -> None:
    """Nor do they add columns."""
    found, person = cards(card("FN:Choir", "N:Choir;;;;", line, "NOTE:sings") + card("FN:Ute", "KIND:individual"))
    assert isinstance(found, RowError)
    assert (found.row, found.code, found.values) == (1, "NotARecord", ("Choir",))
    assert person == {"Name": "Ute"}


@pytest.mark.parametrize("line", ["KIND:org", "KIND:individual", "X-KINDNESS:group", "NOTE:KIND:group"])
def test_persons_and_firms_are_records(line: str) -> None:
    (found,) = cards(card("FN:Fern Ltd", line))
    assert isinstance(found, dict)
    assert found["Name"] == "Fern Ltd"


class TestDamage:
    def test_broken_line_costs_its_card(self) -> None:
        broken, good = cards(card("FN:Ute", "no property", "EMAIL:u@x.example") + card("FN:Ivo"))
        assert isinstance(broken, RowError)
        assert (broken.row, broken.code, "'no property'" in broken.message) == (1, "InvalidDataFormat_400", True)
        assert broken.values == ("Ute", "u@x.example")
        assert good == {"Name": "Ivo"}

    def test_missing_end_costs_its_card(self) -> None:
        content = "BEGIN:VCARD\nVERSION:3.0\nFN:Ute\n" + card("FN:Ivo") + "BEGIN:VCARD\nFN:Eva\n"
        first, good, last = cards(content)
        assert isinstance(first, RowError)
        assert isinstance(last, RowError)
        assert (good, "cut off" in last.message) == ({"Name": "Ivo"}, True)

    def test_empty_card_is_no_record(self) -> None:
        empty, good = cards(card("UID:1") + card("FN:Ivo"))
        assert isinstance(empty, RowError)
        assert (empty.code, good) == ("NotARecord", {"Name": "Ivo"})

    def test_long_values_cost_their_card(self) -> None:
        long, good = cards(card("FN:Ute", "NOTE:" + "x" * 100_001) + card("FN:Ivo"))
        assert isinstance(long, RowError)
        assert ("longer than" in long.message, good) == (True, {"Name": "Ivo"})

    def test_crafted_parameters_take_no_time(self) -> None:
        crafted, good = cards(card('TEL;TYPE="' + "a," * 20_000 + ":1") + card("FN:Ivo"))
        assert (isinstance(crafted, RowError), good) == (True, {"Name": "Ivo"})

    def test_pictures_take_no_memory(self) -> None:
        picture = "PHOTO;ENCODING=b;TYPE=JPEG:" + "\r\n ".join(["A" * 70] * 30_000)
        line = "PHOTO:data:image/jpeg;base64," + "A" * 5_000_000
        content = io.BytesIO((card("FN:Ute", picture) + card("FN:Ivo", line)).encode())
        tracemalloc.start()
        with open_table(content) as table:
            rows = list(table.rows())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (rows, peak < 12_000_000) == ([(1, ["Ute"]), (2, ["Ivo"])], True)

    @in_make_check
    def test_many_cards_take_no_memory(self) -> None:
        content = io.BytesIO(card("N:Falk;Ute;;;", "FN:Ute Falk", "EMAIL:ute@falk.example").encode() * 20_000)
        tracemalloc.start()
        with open_table(content) as table:
            count = sum(1 for _ in table.rows())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (count, peak < 8_000_000) == (20_000, True)

    @pytest.mark.parametrize(
        ("content", "options", "field"),
        [
            (b"Name,Email\nUte,u@x.example\n", {"kind": "vcf"}, "file"),
            (card("FN:Ute").encode(), {"header_row": 1}, "options.headerRow"),
        ],
    )
    def test_what_cannot_be_read_is_refused(self, content: bytes, options: dict, field: str) -> None:
        with pytest.raises(ReaderError) as caught:
            open_table(io.BytesIO(content), **options)
        assert (caught.value.code, caught.value.field) == ("InvalidDataFormat_400", field)

    @pytest.mark.parametrize("charset", ["punycode", "idna", "unicode_escape", "hex"])
    def test_codecs_that_are_no_charsets_are_not_used(self, charset: str) -> None:
        content = card(f"FN;CHARSET={charset};ENCODING=QUOTED-PRINTABLE:a-z9=C3=BC")
        with open_table(io.BytesIO(content.encode()), kind="text/x-vcard") as table:
            assert list(table.rows()) == [(1, ["a-z9ü"])]

    def test_reading_goes_on_at_a_card(self) -> None:
        content = "".join(card(f"FN:Card {number}") for number in range(1, 31))
        with open_table(io.BytesIO(content.encode()), kind="text/x-vcard") as table:
            assert list(table.rows(29)) == [(29, ["Card 29"]), (30, ["Card 30"])]
            assert table.first_rows[0] == (1, ["Card 1"])


LINES = st.sampled_from(
    r"""
    BEGIN:VCARD|END:VCARD|VERSION:2.1|VERSION:4.0|FN:Ute|N:a;b;c;d;e;f|N|:|=|TEL;:1|TEL;CELL;TYPE=a,b:1|AGENT:
    |PHOTO;BASE64:|AAAA|FN;ENCODING=QUOTED-PRINTABLE:a=|X;A="b:c|EMAIL;PREF=x:y|BDAY:----|CATEGORIES:,,|ADR:;;;|é\
    |TEL;CHARSET=none;QUOTED-PRINTABLE:=C3
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
    + [" x", "\t", "\0"]
)


@settings(max_examples=thorough(300), deadline=None)
@given(lines=st.lists(st.one_of(LINES, st.text(max_size=20)), max_size=25), end=st.sampled_from(["\n", "\r\n", "\r"]))
def test_any_lines_are_read_or_refused_by_name(lines: list[str], end: str) -> None:
    content = end.join(["BEGIN:VCARD", "FN:Eva", *lines]).encode("utf-8", "replace")
    code = None
    try:
        with open_table(io.BytesIO(content)) as table:
            rows = list(table.rows())
            assert table.count_rows() == len(rows)
            assert all(len(row[1]) == len(table.headers) for row in rows if isinstance(row, tuple))
    except ReaderError as error:
        code = error.code
    assert code in {None, "InvalidDataFormat_400", "UnsupportedFileType_400"}
