"""PUT /contact/import/:id: starting, pausing, resuming, cancelling and changing imports."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from core.jobs import claim
from crm.imports import worker
from crm.models import Contact, Import
from tests.crm.imports.helpers import MAPPING, counts, csv_of, make, people, upload, work
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactCategoryFactory, TagFactory

MISSING = "0" * 24


def put(cast: Cast, job: dict[str, Any], **body: Any) -> Any:
    return cast.key.put(f"/contact/import/{job['_id']}", body)


def get(cast: Cast, job: dict[str, Any]) -> dict[str, Any]:
    return dict(cast.key.get(f"/contact/import/{job['_id']}").data)


def test_a_mapping_starts_a_paused_import(cast: Cast) -> None:
    job = make(cast, csv_of(people(2)))
    answer = put(cast, job, columnMapping=MAPPING)
    assert (answer.status, answer.data["status"]) == (200, "queued")
    work()
    assert counts(get(cast, job)) == ("completed", 2, 2, 0, 0, 0)


def test_running_starts_with_the_proposed_mapping(cast: Cast) -> None:
    job = make(cast, csv_of(people(2)))
    assert put(cast, job, status="running").data["columnMapping"] == MAPPING
    work()
    assert get(cast, job)["created"] == 2


def test_an_empty_mapping_starts_with_the_proposed_one(cast: Cast) -> None:
    job = make(cast, csv_of(people(1)))
    assert put(cast, job, columnMapping={}).data["status"] == "queued"


def test_a_mapping_can_be_saved_without_starting(cast: Cast) -> None:
    job = make(cast, csv_of(people(1)))
    answer = put(cast, job, columnMapping={"Email": "email"}, status="paused")
    assert (answer.data["status"], answer.data["columnMapping"]) == ("paused", {"Email": "email"})
    refused = put(cast, job, status="running")
    assert (refused.status, "number" in refused.body["warning"]) == (400, True)


def test_pausing_takes_hold_between_batches_and_resuming_goes_on(
    cast: Cast, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.IMPORT_BATCH_ROWS = 2
    job = make(cast, csv_of(people(6)))
    real = worker._Turn._write

    def pause_meanwhile(turn: Any, *args: Any) -> bool:
        if turn.job.processed == 2:
            assert put(cast, job, status="paused").data["status"] == "running"
            assert put(cast, job, status="paused").body["message"] == "The import is already paused."
        return real(turn, *args)

    monkeypatch.setattr(worker._Turn, "_write", pause_meanwhile)
    put(cast, job, status="running")
    work()
    assert counts(get(cast, job)) == ("paused", 4, 4, 0, 0, 0)
    monkeypatch.undo()
    assert put(cast, job, status="running").status == 200
    work()
    assert counts(get(cast, job)) == ("completed", 6, 6, 0, 0, 0)


@pytest.mark.parametrize("delete", [True, False])
def test_cancelling_or_deleting_a_running_import_stops_it_after_its_batch(
    cast: Cast, settings: Any, monkeypatch: pytest.MonkeyPatch, delete: bool
) -> None:
    settings.IMPORT_BATCH_ROWS = 2
    job = make(cast, csv_of(people(6)), pauseImport=False)
    real = worker._Turn._write

    def stop_meanwhile(turn: Any, *args: Any) -> bool:
        if turn.job.processed == 2:
            answer = (
                cast.key.delete("/contact/import", {"ids": [job["_id"]]})
                if delete
                else put(cast, job, status="cancelled")
            )
            assert answer.status == 200
        return real(turn, *args)

    monkeypatch.setattr(worker._Turn, "_write", stop_meanwhile)
    work()
    with cast.scope():
        found = Import.objects.get(pk=job["_id"])
        assert (found.status, found.created, found.is_deleted) == ("cancelled", 4, delete)
        assert Contact.objects.count() == 4


def test_moves_that_are_not_legal_are_named(cast: Cast) -> None:
    job = make(cast, csv_of(people(1)))
    assert put(cast, job, status="paused").body["message"] == "The import is already paused."
    put(cast, job, status="running")
    assert put(cast, job, status="running").body["message"] == "The import is already running."
    assert put(cast, job, columnMapping=MAPPING).body["message"] == "The import is already running."
    assert put(cast, job, status="paused").data["status"] == "paused"
    put(cast, job, status="running")
    work()
    for status in ("running", "paused", "cancelled"):
        assert put(cast, job, status=status).body["message"] == "The import's status does not allow this."
    assert put(cast, job, tags=[]).body["message"] == "The import's status does not allow this."
    assert put(cast, job, status="completed").body["message"] == "The import's status does not allow this."
    cancelled = make(cast, csv_of(people(1)))
    assert put(cast, cancelled, status="cancelled").data["status"] == "cancelled"
    assert put(cast, cancelled, status="running").body["message"] == "The import's status does not allow this."


@pytest.mark.parametrize("body", [{}, {"tags": []}, {"options": {"rowFrom": 2}}, {"userEnquiry": True}])
def test_any_put_starts_a_paused_import_again(cast: Cast, body: dict[str, Any]) -> None:
    job = make(cast, csv_of(people(2)))
    assert put(cast, job, **body, pauseImport=bool(body)).data["status"] == ("paused" if body else "queued")
    if body:
        assert put(cast, job, **body).data["status"] == "queued"
    work()
    assert get(cast, job)["status"] == "completed"


def test_pause_import_pauses_and_is_named_when_there_is_nothing_else(cast: Cast) -> None:
    job = make(cast, csv_of(people(1)))
    assert put(cast, job, pauseImport=True).body["message"] == "The import is already paused."
    assert put(cast, job).data["status"] == "queued"
    assert put(cast, job).body["message"] == "The import is already running."
    assert put(cast, job, pauseImport=True).data["status"] == "paused"


@pytest.mark.parametrize("kind", ["contact", "lead"])
def test_an_import_is_deleted_by_its_id_or_its_files(cast: Cast, kind: str) -> None:
    path, body = f"/{kind}/import", {"importType": kind}
    file = upload(cast, csv_of(people(1)))
    older = cast.key.post(path, {**body, "fileId": file}).data["import"]["_id"]
    latest = cast.key.post(path, {**body, "fileId": file}).data["import"]["_id"]
    assert cast.key.delete(path, {"ids": [file], "nids": [file]}).status == 400
    assert cast.key.delete(path, {"ids": [file]}).status == 200
    assert [found["_id"] for found in cast.key.get(path).data] == [older]
    assert cast.key.delete(path, {"ids": [older]}).status == 200
    assert latest not in {found["_id"] for found in cast.key.get(path).data}
    assert cast.key.delete(path, {"ids": [file]}).body["message"] == "Import not found."


def test_a_paused_import_takes_other_options_tags_and_category(cast: Cast) -> None:
    with cast.scope():
        tag, category = TagFactory(), ContactCategoryFactory()
    job = make(cast, csv_of(people(5)), options={"existing": "error"})
    changes = {"options": {"rowFrom": 3, "rowTo": 4}, "tags": [tag.pk], "category": category.pk, "userEnquiry": False}
    answer = put(cast, job, **changes, pauseImport=True)
    assert answer.status == 200
    assert answer.data["options"] == {"rowFrom": 3, "rowTo": 4, "existing": "error"}
    assert (answer.data["status"], answer.data["total"], answer.data["userEnquiry"]) == ("paused", 2, False)
    answer = put(cast, job, options={"rowTo": None}, category=None)
    assert (answer.data["status"], answer.data["options"]) == ("queued", {"rowFrom": 3, "existing": "error"})
    work()
    assert get(cast, job)["created"] == 4
    with cast.scope():
        assert Contact.objects.filter(tag_links__tag=tag, category=None).count() == 4


@pytest.mark.parametrize("sent", [True, "Asked for a catalogue", False, None, ""])
def test_an_enquiry_is_a_boolean_or_text(cast: Cast, sent: bool | str | None) -> None:
    job = make(cast, csv_of(people(1)), userEnquiry=sent)
    assert job["userEnquiry"] == (None if sent == "" else sent)
    for other in ("Other words", True, None, sent):
        answer = put(cast, job, userEnquiry=other, pauseImport=True)
        assert (answer.status, answer.data["userEnquiry"]) == (200, None if other == "" else other)
    for wrong in (["x"], 5, "x" * 1001, {}):
        assert put(cast, job, userEnquiry=wrong).status == 400


def test_another_delimiter_reads_the_file_anew(cast: Cast) -> None:
    job = make(cast, b"a;b,c\n1;2,3\n4;5,6\n")
    first = get(cast, job)["headers"]
    other = "," if first == ["a", "b,c"] else ";"
    refused = put(cast, job, options={"delimiter": other})
    assert (refused.status, refused.body["message"]) == (400, "The columns or fields are not matched correctly.")
    assert refused.body["warning"].endswith("pauseImport true changes the import without starting it")
    answer = put(cast, job, options={"delimiter": other}, pauseImport=True)
    assert answer.data["headers"] == (["a;b", "c"] if other == "," else ["a", "b,c"])
    assert (answer.data["status"], answer.data["columnMapping"]) == ("paused", {})


def test_bad_changes_are_named_and_change_nothing(cast: Cast) -> None:
    job = make(cast, csv_of(people(3)))
    for body, message in (
        ({"options": {"rowFrom": 9}}, "The first row is after the end of the file."),
        ({"options": {"rowFrom": 3, "rowTo": 2}}, "first row"),
        ({"options": {"rowTo": 1}}, "This file has no rows. Choose another file."),
        ({"columnMapping": {"Nope": "email"}}, "not matched"),
        ({"tags": [MISSING]}, "Tag not found."),
        ({"category": MISSING}, "category"),
        ({"status": "flying"}, "The import's status does not allow this."),
        ({"status": 1}, "status"),
        ({"colour": 1}, "colour"),
    ):
        answer = put(cast, job, **body)
        assert answer.status == 400, body
        assert message.lower() in answer.body["message"].lower(), answer.body
    found = get(cast, job)
    assert (found["status"], found["options"], found["columnMapping"]) == ("paused", {}, MAPPING)


def test_another_companys_import_looks_missing(cast: Cast, outsiders: Cast) -> None:
    job = make(outsiders, csv_of(people(1)))
    answer = put(cast, job, status="running")
    assert (answer.status, answer.body["message"]) == (400, "Import not found.")
    assert cast.key.put("/contact/import/nonsense", {}).body["message"] == "Invalid format for field _id: nonsense"


def test_a_pause_that_was_asked_for_before_a_worker_died_holds(cast: Cast) -> None:
    job = make(cast, csv_of(people(2)), pauseImport=False)
    [held] = claim(Import, limit=1)
    put(cast, job, status="paused")
    with cast.scope():
        Import.objects.filter(pk=held.pk).update(status="queued")  # as the sweep does
    work()
    assert counts(get(cast, job)) == ("paused", 0, 0, 0, 0, 0)


@pytest.mark.django_db(transaction=True)
def test_of_many_starts_at_once_exactly_one_wins() -> None:
    cast = make_cast()
    job = make(cast, csv_of(people(2)))

    def start(_: int) -> int:
        try:
            return int(put(cast, job, status="running").status)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        statuses = sorted(pool.map(start, range(8)))
    assert statuses == [200] + [400] * 7
