"""Imports of files whose table has to be found: what the API answers, and what becomes of rows that are no records."""

from __future__ import annotations

import io

import pytest

from crm.models import Contact, ContactTag, CustomField
from tests.crm.imports.helpers import MAPPING, counts, csv_of, make, people, run, upload, work
from tests.crm.imports.readers.workbooks import write_xlsx
from tests.kit.cast import Cast

PREAMBLE = b"Contact report\nAs of 2024-03-09\n\n"
FOOTER = b"\nGrand Totals (2 records)\n\nConfidential - do not hand on\nFalk and Sons\n"
CARDS = """BEGIN:VCARD\r\nVERSION:3.0\r\nN:Falk;Ute;;;\r\nFN:Ute Falk\r\nEMAIL:ute@falk.example
TEL;TYPE=CELL:+49 170 2000001\r\nCATEGORIES:fair\r\nEND:VCARD
BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ivo Sand\r\nno property\r\nEND:VCARD
"""


@pytest.fixture
def nothing_required(cast: Cast) -> None:
    with cast.scope():
        CustomField.objects.filter(panel="contact").update(required=False)


def test_preamble_and_footer(cast: Cast) -> None:
    content = PREAMBLE + csv_of(people(2)) + FOOTER
    made = make(cast, content)
    assert made["headers"] == ["Name", "Email", "Country code", "Phone"]
    assert (made["columnMapping"], made["total"]) == (MAPPING, 5)
    assert {name: made["detected"][name] for name in ("headerRow", "sheet", "sheets", "encoding")} == {
        "headerRow": 4,
        "sheet": None,
        "sheets": [],
        "encoding": "utf-8",
    }
    assert made["firstRows"][0] == {"row": 1, "cells": ["Contact report"]}
    assert made["firstRows"][2]["row"] == 4
    checked = cast.key.post(f"/contact/import/{made['_id']}/check").data
    assert (checked["rows"], checked["created"], checked["failed"]) == (5, 2, 3)
    done = run(cast, content)
    assert counts(done) == ("completed", 5, 2, 0, 0, 3)
    assert [(error["row"], error["code"], error["failed"]) for error in done["rowErrors"]] == [
        (8, "NotARecord", True),
        (10, "NotARecord", True),
        (11, "NotARecord", True),
    ]


@pytest.mark.usefixtures("nothing_required")
def test_row_that_was_left_out_can_be_imported(cast: Cast) -> None:
    done = run(cast, csv_of(people(2)) + b"\nFalk and Sons\n")
    assert counts(done) == ("completed", 3, 2, 0, 0, 1)
    answer = cast.key.post(f"/contact/import/{done['_id']}/mend", {"rows": [{"row": 5, "values": {}}]})
    assert (answer.status, answer.data["created"]) == (200, 1)
    with cast.scope():
        assert Contact.objects.filter(name="Falk and Sons").count() == 1


def test_file_without_headers(cast: Cast) -> None:
    content = "\n".join(people(3)).encode()
    made = make(cast, content)
    assert (made["detected"]["headerRow"], made["total"]) == (0, 3)
    assert made["headers"] == ["Column A", "Column B", "Column C", "Column D"]
    mapping = dict(zip(made["headers"], MAPPING.values(), strict=True))
    done = run(cast, content, columnMapping=mapping)
    assert counts(done) == ("completed", 3, 3, 0, 0, 0)
    with cast.scope():
        assert Contact.objects.filter(name="Person 1").exists()
    part = run(
        cast, b"\n".join(f"{line}".encode() for line in people(3, 7)), columnMapping=mapping, options={"rowTo": 2}
    )
    assert counts(part) == ("completed", 2, 2, 0, 0, 0)


def test_header_row_is_chosen(cast: Cast) -> None:
    content = csv_of(people(3))
    made = make(cast, content, options={"headerRow": 0})
    assert (made["headers"][0], made["total"], made["options"]) == ("Column A", 4, {"headerRow": 0})
    path = f"/contact/import/{made['_id']}"
    changed = cast.key.put(path, {"options": {"headerRow": 2}, "pauseImport": True}).data
    assert (changed["headers"][0], changed["total"], changed["detected"]["headerRow"]) == ("Person 1", 2, 2)
    again = cast.key.put(path, {"options": {"headerRow": None}, "pauseImport": True}).data
    assert (again["headers"][0], again["total"], again["detected"]["headerRow"]) == ("Name", 3, 1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"headerRow": 99}, "options.headerRow: the file has no row 99"),
        ({"headerRow": -1}, "headerRow"),
        ({"headerRow": 2.5}, "headerRow"),
    ],
)
def test_unusable_header_rows_are_refused(cast: Cast, options: dict, words: str) -> None:
    file_id = upload(cast, csv_of(people(1)))
    answer = cast.key.post("/contact/import", {"importType": "contact", "fileId": file_id, "options": options})
    assert (answer.status, words in answer.body["warning"]) == (400, True), answer.body


def test_sheets(cast: Cast) -> None:
    target = io.BytesIO()
    table = [line.split(",") for line in csv_of(people(2)).decode().splitlines()]
    write_xlsx(target, {"Read me": [["Please read."]], "People": table, "Old": table[:2]})
    file_id = upload(cast, target.getvalue(), "people.xlsx")
    body = {"importType": "contact", "fileId": file_id}
    made = cast.key.post("/contact/import", body).data["import"]
    assert (made["detected"]["sheet"], made["total"]) == ("People", 2)
    assert made["detected"]["sheets"] == ["Read me", "People", "Old"]
    other = cast.key.post("/contact/import", {**body, "options": {"sheet": " OLD "}}).data["import"]
    assert (other["detected"]["sheet"], other["total"]) == ("Old", 1)
    answer = cast.key.post("/contact/import", {**body, "options": {"sheet": "New"}})
    assert answer.status == 400
    assert answer.body["warning"] == (
        "options.sheet: the workbook has no sheet 'New'; it has: 'Read me', 'People', 'Old'"
    )


def test_cards(cast: Cast) -> None:
    file_id = upload(cast, CARDS.replace("\n", "\r\n").replace("\r\r", "\r").encode(), "book.vcf")
    made = cast.key.post("/contact/import", {"importType": "contact", "fileId": file_id}).data["import"]
    assert made["columnMapping"] == {"Name": "name", "Email": "email", "Phone": "number", "Tags": "tags"}
    assert (made["total"], made["file"]["mime"]) == (2, "text/vcard")
    cast.key.put(f"/contact/import/{made['_id']}", {})
    work()
    done = cast.key.get(f"/contact/import/{made['_id']}").data
    assert counts(done) == ("completed", 2, 1, 0, 0, 1)
    assert [(error["row"], "no property" in error["message"]) for error in done["rowErrors"]] == [(2, True)]
    with cast.scope():
        contact = Contact.objects.get(email="ute@falk.example")
        assert (contact.name, contact.contact_number) == ("Ute Falk", "+491702000001")
        assert list(ContactTag.objects.filter(contact=contact).values_list("tag__name", flat=True)) == ["fair"]


@pytest.mark.usefixtures("nothing_required")
def test_rows_with_nothing_in_their_mapped_columns_are_listed(cast: Cast) -> None:
    content = b"Name,Email,Shoe size,Height\nUte,ute@falk.example,40,1\n,,41,2\n"
    done = run(cast, content, columnMapping={"Name": "name", "Email": "email"})
    assert counts(done) == ("completed", 2, 1, 0, 0, 1)
    assert [(error["row"], error["code"]) for error in done["rowErrors"]] == [(3, "NotARecord")]


@pytest.mark.usefixtures("nothing_required")
@pytest.mark.parametrize("form", [{}, {"name": ""}, {"name": None, "email": ""}])
def test_contact_without_any_value_is_refused(cast: Cast, form: dict) -> None:
    answer = cast.key.post("/contact", {"formData": form})
    assert (answer.status, answer.body["warning"]) == (400, "formData: give at least one value")
    assert cast.key.post("/contact", {"formData": {"name": "Ute"}}).status == 200
