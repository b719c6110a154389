"""columnMapping with +: custom fields that are made when an import starts."""

from __future__ import annotations

from typing import Any

import pytest

from crm.models import Contact, CustomField
from tests.crm.imports.helpers import HEADER, MAPPING, counts, csv_of, make, people, upload, work
from tests.kit.cast import Cast, make_cast

LINES = [f"{line},{number * 3},Desk {number}" for number, line in enumerate(people(3), 1)]
CONTENT = csv_of(LINES, HEADER + ",Floor,Seat")
NEW = {**MAPPING, "Floor": "+", "Seat": "+textarea"}


def made() -> dict[str, str]:
    return dict(CustomField.objects.filter(is_system=False).values_list("name", "field_type"))


def test_fields_are_made_at_the_start_and_shared(cast: Cast) -> None:
    job = make(cast, CONTENT)
    assert job["isProposed"]
    path = f"/contact/import/{job['_id']}"
    saved = cast.session.put(path, {"columnMapping": NEW, "pauseImport": True}).data
    assert (saved["isProposed"], saved["columnMapping"]) == (False, NEW)
    checked = cast.session.post(path + "/check").data
    assert (checked["created"], checked["failed"]) == (3, 0)
    with cast.scope():
        assert made() == {}
    lines = [line.replace("person", "other").replace("151", "152") for line in LINES]
    other = make(cast, csv_of(lines, HEADER + ",Floor,Seat"), columnMapping=NEW)
    for each in (job, other):
        started = cast.session.put(f"/contact/import/{each['_id']}", {"status": "running"})
        assert started.status == 200, started.body
    work()
    keys = cast.key.get(path).data["columnMapping"]
    assert keys == cast.key.get(f"/contact/import/{other['_id']}").data["columnMapping"]
    with cast.scope():
        assert made() == {"Floor": "number", "Seat": "textarea"}
        assert set(Contact.objects.values_list(f"custom__{keys['Floor']}", flat=True)) == {3, 6, 9}


def test_a_proposal_that_is_started_is_none_any_more(cast: Cast) -> None:
    job = make(cast, CONTENT)
    cast.session.put(f"/contact/import/{job['_id']}", {"status": "running"})
    work()
    found = cast.key.get(f"/contact/import/{job['_id']}").data
    assert (found["isProposed"], counts(found)[:3]) == (False, ("completed", 3, 3))


def test_an_import_that_starts_at_once_makes_them_too(cast: Cast) -> None:
    job = make(cast, CONTENT, columnMapping=NEW, pauseImport=False)
    work()
    assert "+" not in cast.key.get(f"/contact/import/{job['_id']}").data["columnMapping"].values()
    with cast.scope():
        assert made() == {"Floor": "number", "Seat": "textarea"}


@pytest.mark.parametrize("key", ["+nonsense", "++", "+ text"])
def test_other_types_are_refused(cast: Cast, key: str) -> None:
    job = make(cast, CONTENT)
    sent = cast.session.put(
        f"/contact/import/{job['_id']}", {"columnMapping": {**MAPPING, "Floor": key}, "pauseImport": True}
    )
    assert (sent.status, "is no field of contacts" in sent.body["warning"]) == (400, True)


def test_who_may_make_no_fields_is_refused(db: Any) -> None:
    cast = make_cast({"contact": dict.fromkeys(("GET", "POST", "PUT"), True), "file": {"GET": True, "POST": True}})
    job = make(cast, CONTENT)
    sent = cast.narrow_session.put(f"/contact/import/{job['_id']}", {"columnMapping": NEW, "pauseImport": True})
    assert sent.status == 400
    assert "lacks the permission custom-field.POST" in sent.body["warning"]
    body = {"importType": "contact", "fileId": upload(cast, CONTENT), "columnMapping": NEW}
    assert cast.narrow_session.post("/contact/import", body).status == 400
