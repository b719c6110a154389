"""POST /contact/import, GET and DELETE /contact/import, GET /contact/import/:id."""

from __future__ import annotations

from typing import Any

import pytest

from crm.imports import preview as reading
from crm.models import Contact, Import
from tests.crm.imports.helpers import HEADER, MAPPING, csv_of, make, people, run, upload, work
from tests.kit.cast import Cast
from tests.kit.factories import ContactCategoryFactory, TagFactory

MISSING = "0" * 24


def body(file_id: str, **more: Any) -> dict[str, Any]:
    return {"importType": "contact", "fileId": file_id, **more}


def test_answers_the_file_with_the_import_nested(cast: Cast) -> None:
    file_id = upload(cast, csv_of(people(3)))
    answer = cast.key.post("/contact/import", body(file_id))
    assert answer.status == 201
    assert (answer.data["_id"], answer.data["mime"]) == (file_id, "text/csv")
    made = answer.data["import"]
    assert (made["status"], made["total"], made["processed"], made["percent"]) == ("paused", 3, 0, 0.0)
    assert made["headers"] == ["Name", "Email", "Country code", "Phone"]
    assert made["sample"][0] == ["Person 1", "person1@example.org", "+49", "15100000001"]
    assert made["columnMapping"] == MAPPING
    assert made["file"] == {"_id": file_id, "name": "people.csv", "size": answer.data["size"], "mime": "text/csv"}
    assert (made["rowErrors"], made["createdBy"]["_id"]) == ([], cast.owner.pk)


def test_every_body_value_is_kept(cast: Cast) -> None:
    with cast.scope():
        tag, category = TagFactory(), ContactCategoryFactory()
    made = make(
        cast,
        csv_of(people(5)),
        headers=["Name"],
        totalCount=99,
        columnMapping={"Email": "email", "Phone": "", "Name": None},
        options={"rowFrom": 3, "rowTo": 4, "existing": "update", "dateFormat": "DD.MM.YYYY"},
        tags=[tag.pk],
        category=category.pk,
        userEnquiry=True,
        automation="skip",
    )
    assert made["columnMapping"] == {"Email": "email"}
    assert made["options"] == {"rowFrom": 3, "rowTo": 4, "existing": "update", "dateFormat": "DD.MM.YYYY"}
    assert (made["tags"], made["category"], made["userEnquiry"], made["automation"]) == (
        [tag.pk],
        category.pk,
        True,
        "skip",
    )
    assert made["total"] == 2


def test_the_alias_file_names_the_file(cast: Cast) -> None:
    file_id = upload(cast, csv_of(people(1)))
    assert cast.session.post("/contact/import", {"importType": "contact", "file": file_id}).data["_id"] == file_id
    answer = cast.key.post("/contact/import", body(file_id, file=MISSING))
    assert (answer.status, "file" in answer.body["warning"]) == (400, True)
    needed = ("importType: This field is required.", "fileId: This field is required.")
    for sent, lacking in (({}, needed), ({"importType": "contact"}, needed[1:]), ({"file": file_id}, needed[:1])):
        answer = cast.key.post("/contact/import", sent)
        assert (answer.status, answer.body["warning"]) == (400, "; ".join(lacking))


@pytest.mark.parametrize(
    ("change", "message", "word"),
    [
        ({"importType": None}, "Validation error", "importType"),
        ({"importType": "lead"}, "Validation error", "importType"),
        ({"fileId": "x"}, "Invalid format for field fileId: x", "24 hex"),
        ({"fileId": MISSING}, "File not found.", "fileId"),
        ({"tags": [MISSING]}, "Tag not found.", MISSING),
        ({"category": MISSING}, "category", MISSING),
        ({"columnMapping": {"Nope": "email"}}, "not matched", "Nope"),
        ({"columnMapping": {"Email": "nofield"}}, "not matched", "nofield"),
        ({"columnMapping": {"Email": "name", "Name": "name"}}, "not matched", "two columns"),
        ({"columnMapping": {"Name": "name"}, "pauseImport": False}, "not matched", "email"),
        ({"columnMapping": ["email"]}, "columnMapping", "object"),
        ({"columnMapping": {"Email": 5}}, "columnMapping", "text"),
        ({"options": {"colour": 1}}, "Validation error", "colour"),
        ({"options": {"existing": "merge"}}, "Validation error", "existing"),
        ({"options": {"rowFrom": 0}}, "Validation error", "rowFrom"),
        ({"options": {"rowFrom": "2"}}, "options.rowFrom", "whole number"),
        ({"options": {"rowFrom": 4, "rowTo": 3}}, "first row", "greater"),
        ({"options": {"rowFrom": 5}}, "the first row is after the end of the file", "last row is 4"),
        ({"options": {"rowTo": 1}}, "no rows", "rowTo"),
        ({"options": {"dateFormat": "soon"}}, "dateFormat", "DD.MM.YYYY"),
        ({"options": {"delimiter": "ab"}}, "", "delimiter"),
        ({"options": {"encoding": "klingon"}}, "", "klingon"),
        ({"pauseImport": "no"}, "pauseImport", "true or false"),
        ({"speed": 9}, "Validation error", "speed"),
    ],
)
def test_bad_bodies_name_what_is_wrong_and_make_nothing(
    cast: Cast, change: dict[str, Any], message: str, word: str
) -> None:
    sent = {
        key: value for key, value in {**body(upload(cast, csv_of(people(3)))), **change}.items() if value is not None
    }
    answer = cast.key.post("/contact/import", sent)
    assert answer.status == 400
    assert message.lower() in answer.body["message"].lower()
    assert word in answer.body["warning"]
    with cast.scope():
        assert Import.objects.count() == 0


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (HEADER.encode() + b"\n", "people.csv", "This file has no rows. Choose another file."),
        (b"\n\n\n", "people.csv", "This file is empty. Choose another file."),
        (b"\x89PNG\r\n\x1a\n" + bytes(200), "people.csv", "Files of this type are not supported."),
    ],
)
def test_files_without_rows_are_refused(cast: Cast, content: bytes, name: str, message: str) -> None:
    answer = cast.key.post("/contact/import", body(upload(cast, content, name)))
    assert (answer.status, answer.body["message"]) == (400, message)


def test_another_companys_file_tag_and_category_look_missing(cast: Cast, outsiders: Cast) -> None:
    with outsiders.scope():
        tag, category = TagFactory(), ContactCategoryFactory()
    foreign, own = upload(outsiders, csv_of(people(1))), upload(cast, csv_of(people(1)))
    assert cast.key.post("/contact/import", body(foreign)).body["message"] == "File not found."
    assert cast.key.post("/contact/import", body(own, tags=[tag.pk])).status == 400
    assert cast.key.post("/contact/import", body(own, category=category.pk)).status == 400


def test_trashed_files_cannot_be_imported(cast: Cast) -> None:
    file_id = upload(cast, csv_of(people(1)))
    cast.key.delete("/file", {"ids": [file_id]})
    assert cast.key.post("/contact/import", body(file_id)).body["message"] == "File not found."


def test_a_large_file_is_read_by_the_worker(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "QUICK_TEXT_BYTES", 10)
    made = make(cast, csv_of(people(4)))
    assert (made["status"], made["total"], made["headers"]) == ("queued", None, [])
    work()
    found = cast.key.get(f"/contact/import/{made['_id']}").data
    assert (found["status"], found["total"], found["columnMapping"]) == ("paused", 4, MAPPING)
    assert cast.key.put(f"/contact/import/{made['_id']}", {"status": "running"}).data["status"] == "queued"
    work()
    assert cast.key.get(f"/contact/import/{made['_id']}").data["created"] == 4


def test_a_large_file_that_cannot_be_imported_fails_with_the_reason(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "QUICK_TEXT_BYTES", 10)
    made = make(cast, csv_of(people(2)), pauseImport=False, columnMapping={"Nope": "email"})
    work()
    found = cast.key.get(f"/contact/import/{made['_id']}").data
    assert found["status"] == "failed"
    assert "Nope" in found["error"]


def test_the_list_shows_progress_and_sorts(cast: Cast) -> None:
    done = run(cast, csv_of(people(3)))
    waiting = make(cast, csv_of(people(2)))
    answer = cast.session.get("/contact/import", p="1", n="10", sortBy="created", sortOrder="desc")
    assert [(row["_id"], row["status"], row["percent"]) for row in answer.data] == [
        (done["_id"], "completed", 100.0),
        (waiting["_id"], "paused", 0.0),
    ]
    assert answer.data[0]["file"]["name"] == "people.csv"
    assert [row["_id"] for row in cast.key.get("/contact/import", filters={"status": "paused"}).data] == [
        waiting["_id"]
    ]


def test_the_list_takes_as_many_queries_for_many_as_for_one(cast: Cast, django_assert_max_num_queries: Any) -> None:
    for number in range(4):
        make(cast, csv_of(people(1, number * 10 + 1)))
    with django_assert_max_num_queries(8):
        assert len(cast.key.get("/contact/import", p="1", n="3").data) == 3


def test_one_import_is_found_by_its_id_and_its_files(cast: Cast, outsiders: Cast) -> None:
    made = make(cast, csv_of(people(1)))
    assert cast.key.get(f"/contact/import/{made['_id']}").data["_id"] == made["_id"]
    assert cast.key.get(f"/contact/import/{made['file']['_id']}").data["_id"] == made["_id"]
    missing = cast.key.get(f"/contact/import/{MISSING}")
    assert (missing.status, missing.body["message"]) == (400, "Import not found.")
    assert outsiders.key.get(f"/contact/import/{made['_id']}").body == missing.body
    assert cast.key.get("/contact/import/nonsense").body["message"] == "Invalid format for field _id: nonsense"


def test_deleting_keeps_the_contacts(cast: Cast) -> None:
    done, waiting = run(cast, csv_of(people(3))), make(cast, csv_of(people(2)))
    answer = cast.key.delete("/contact/import", {"ids": [done["_id"], waiting["_id"]]})
    assert (answer.status, answer.body["data"]) == (200, None)
    assert cast.key.get("/contact/import").body["totalCount"] == 0
    assert cast.key.get(f"/contact/import/{done['_id']}").body["message"] == "Import not found."
    with cast.scope():
        assert Contact.objects.count() == 3
        assert Import.objects.get(pk=waiting["_id"]).status == "cancelled"
    assert cast.key.delete("/contact/import", {"ids": [done["_id"]]}).body["message"] == "Import not found."


def test_another_companys_imports_cannot_be_listed_or_deleted(cast: Cast, outsiders: Cast) -> None:
    made = make(outsiders, csv_of(people(1)))
    assert cast.key.get("/contact/import").body["totalCount"] == 0
    assert cast.key.delete("/contact/import", {"ids": [made["_id"]]}).status == 400
    assert cast.key.delete("/contact/import", {"selectAll": True}).status == 200
    assert outsiders.key.get("/contact/import").body["totalCount"] == 1


def test_the_role_decides_on_the_session_path(cast: Cast) -> None:
    made = make(cast, csv_of(people(1)))
    assert cast.narrow_session.get("/contact/import").status == 200
    assert cast.narrow_session.get(f"/contact/import/{made['_id']}").status == 200
    assert cast.narrow_session.post("/contact/import", {}).status == 403
    assert cast.narrow_session.put(f"/contact/import/{made['_id']}", {"status": "running"}).status == 403
    assert cast.narrow_session.delete("/contact/import", {"ids": [made["_id"]]}).status == 403
