"""POST /contact/import/:id/undo and /lead/import/:id/undo"""

from __future__ import annotations

from typing import Any

import pytest

from core.ids import new_id
from core.models import Event
from crm.models import Contact, Import, Journal, Lead
from tests.crm.bulk_jobs.helpers import done
from tests.crm.bulk_jobs.test_journal import everything
from tests.crm.contacts.helpers import add_field
from tests.crm.imports import helpers as imports
from tests.crm.imports.helpers import HEADER, MAPPING, csv_of, people
from tests.crm.leads.helpers import product
from tests.kit.cast import Caller, Cast, session_headers
from tests.kit.factories import MemberFactory, RoleFactory, TagFactory


@pytest.fixture
def small(settings: Any) -> None:
    """Batches of two, so that an import and its undoing have several."""
    settings.IMPORT_BATCH_ROWS = settings.BULK_BATCH_ROWS = 2


def rows(cast: Cast) -> dict[str, Any]:
    with cast.scope():
        return everything()


def undo(cast: Cast, job: str, kind: str = "contact") -> dict[str, Any]:
    answer = cast.key.post(f"/{kind}/import/{job}/undo")
    assert answer.status == 201, answer.body
    assert (answer.data["action"], answer.data["undoesImport"], answer.data["undoes"]) == ("undo", job, None)
    return done(cast, answer.data["_id"])


@pytest.mark.usefixtures("small")
def test_what_an_import_made_goes_and_what_it_updated_is_as_before(cast: Cast) -> None:
    with cast.scope():
        add_field("city")
        TagFactory(name="VIP")
    first = imports.run(cast, csv_of(people(3)))
    was = rows(cast)
    lines = [f"{line},Ulm,VIP" for line in [*people(2), *people(4, start=4), *people(1, start=4)]]
    mapping = {**MAPPING, "City": "city", "Tags": "tags"}
    options = {"existing": "update"}
    job = imports.run(cast, csv_of(lines, HEADER + ",City,Tags"), columnMapping=mapping, options=options)
    assert (job["status"], job["created"], job["updated"]) == ("completed", 4, 3)
    with cast.scope():
        assert Journal.objects.filter(before__isnull=False).count() == 2
    found = undo(cast, job["_id"])
    assert (found["status"], found["changed"], found["failed"], found["report"]["keptCount"]) == ("completed", 6, 0, 0)
    assert (found["total"], found["processed"]) == (6, 6)
    with cast.scope():
        made = Contact.objects.filter(import_job_id=job["_id"])
        assert list(made.values_list("is_deleted", flat=True)) == [True] * 4
        assert sorted(Event.objects.filter(kind="contact.deleted").values_list("object_id", flat=True)) == sorted(
            made.values_list("pk", flat=True)
        )
        ids = [id for (id,) in made.values_list("pk")]
        made.delete()
    assert rows(cast) == was, ids
    again = cast.key.post(f"/contact/import/{job['_id']}/undo")
    assert (again.status, again.body["warning"]) == (400, "id: another bulk job has undone it")
    assert undo(cast, first["_id"])["changed"] == 3
    assert cast.key.get("/contact").data == []


@pytest.mark.usefixtures("small")
def test_what_somebody_changed_since_stays(cast: Cast) -> None:
    job = imports.run(cast, csv_of(people(3)))
    with cast.scope():
        touched, led, _ = Contact.objects.order_by("pk")
    assert cast.key.put(f"/contact/{touched.pk}", {"formData": {"name": "Mine"}}).status == 200
    assert cast.key.post("/lead", {"contact": led.pk}).status == 201
    found = undo(cast, job["_id"])
    assert (found["changed"], found["report"]["kept"]) == (1, {touched.pk: ["_id"], led.pk: ["_id"]})
    assert sorted(row["_id"] for row in cast.key.get("/contact").data) == sorted([touched.pk, led.pk])


def test_what_is_left_of_an_undone_import_is_told(cast: Cast) -> None:
    with cast.scope():
        add_field("city")
    lines = [f"{line},Ulm,5" for line in (*people(2), *people(1))]
    job = imports.make(cast, csv_of(lines, HEADER + ",City,Seats"))["_id"]
    seats = cast.key.post("/custom-field", {"name": "Seats", "fieldType": "number"}).data
    path = f"/contact/import/{job}"
    mapping = {**MAPPING, "City": "city", "Seats": seats["uniqueFieldID"]}
    assert cast.key.put(path, {"columnMapping": mapping}).status == 200
    imports.work()
    people_there = [row["_id"] for row in cast.key.get("/contact", sortBy="email", sortOrder="asc").data]

    def existing() -> list[str | None]:
        return [row["existingId"] for row in cast.key.get(f"{path}/errors").data]

    assert existing() == people_there[:1]
    assert cast.key.get(f"{path}/undo").data == {"job": None, "createdLeft": len(people_there), "emptyFields": []}
    assert cast.key.get(f"{path}/undo", walk="1").status == 400
    assert cast.key.get(path).data["isUndone"] is False
    done = undo(cast, job)
    for undone in (True, False):
        found = cast.key.get("/contact/import", filters={"isUndone": undone}).data
        assert [row["isUndone"] for row in found] == [True] * undone
    told = cast.session.get(f"{path}/undo").data
    assert (told["job"]["_id"], told["createdLeft"]) == (done["_id"], 0)
    assert told["emptyFields"] == [{"_id": seats["_id"], "name": "Seats"}], "the city was there before"
    assert existing() == [None]
    assert cast.key.post("/contact/restore", {"ids": people_there[1:]}).data["restoredCount"] == 1
    told = cast.session.get(f"{path}/undo").data
    assert (told["createdLeft"], told["emptyFields"]) == (1, [])


@pytest.mark.usefixtures("small")
def test_an_import_of_leads_takes_its_contacts_with_it(cast: Cast) -> None:
    with cast.scope():
        product("Ladder")
    known = cast.key.post(
        "/contact",
        {
            "formData": {
                "name": "Person 1",
                "email": "person1@example.org",
                "countryCode": "+49",
                "number": "15100000001",
            }
        },
    )
    assert known.status == 200
    was = rows(cast)
    file_id = imports.upload(cast, csv_of([f"{line},Ladder" for line in people(3)], HEADER + ",Product"))
    body = {
        "importType": "lead",
        "fileId": file_id,
        "pauseImport": False,
        "columnMapping": {**MAPPING, "Product": "productServices"},
    }
    job = cast.key.post("/lead/import", body).data["import"]["_id"]
    imports.work()
    with cast.scope():
        assert (Lead.objects.filter(is_deleted=False).count(), Contact.objects.count()) == (3, 3)
    assert cast.key.post(f"/contact/import/{job}/undo").status == 400
    assert undo(cast, job, "lead")["changed"] == 5
    with cast.scope():
        assert list(Contact.objects.filter(is_deleted=False).values_list("pk", flat=True)) == [known.data["_id"]]
        Lead.objects.all().delete()
        Contact.objects.filter(is_deleted=True).delete()
    assert rows(cast) == was


@pytest.mark.parametrize("by", ["_id", "file"])
def test_a_deleted_import_can_still_be_undone(cast: Cast, by: str) -> None:
    job = imports.run(cast, csv_of(people(2)))
    assert cast.key.delete("/contact/import", {"ids": [job["_id"]]}).status == 200
    assert cast.key.get(f"/contact/import/{job['_id']}").status == 400
    answer = cast.key.post(f"/contact/import/{job['_id'] if by == '_id' else job['file']['_id']}/undo")
    assert (answer.status, done(cast, answer.data["_id"])["changed"]) == (201, 2)
    assert cast.key.get("/contact").data == []


def test_who_may_and_when(cast: Cast, outsiders: Cast) -> None:
    job = imports.make(cast, csv_of(people(2)))["_id"]
    path = f"/contact/import/{job}/undo"
    assert (
        cast.key.post(path).body["warning"]
        == "id: an import that is paused cannot be undone; cancel it, or wait for its end"
    )
    assert cast.key.put(f"/contact/import/{job}", {"status": "cancelled"}).status == 200
    assert cast.key.post(path).body["warning"] == "id: nothing has been done that could be undone"
    with cast.scope():
        Import.objects.filter(pk=job).update(started_at="2020-01-01T00:00:00Z")
        role = RoleFactory(permission={"contact": {"GET": True, "POST": True, "PUT": True}})
        clerk = Caller("/api/protected", session_headers(MemberFactory(status="accepted", role=role)))
    assert cast.key.post(path).body["warning"] == "id: can be undone for 30 days only"
    assert (clerk.post(path).status, cast.narrow_session.post(path).status) == (403, 403)
    for caller, id in ((outsiders.key, job), (cast.key, new_id()), (cast.session, new_id())):
        missing = caller.post(f"/contact/import/{id}/undo")
        assert (missing.status, missing.body["message"]) == (400, "Import not found.")
    assert cast.key.post("/contact/import/x/undo").body["message"] == "Invalid format for field _id: x"
    assert cast.key.post(path, {"more": 1}).status == 400
