"""Values of a field that many records have: converted, or removed, by a worker in batches while others go on
writing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from core.jobs import WORK
from core.tenancy import company_scope, unscoped
from crm.bulk_jobs.services import move_job
from crm.custom_fields import conversion_jobs as field_jobs
from crm.custom_fields import removal_jobs
from crm.models import BulkJob, Contact, ConvertedValue, CustomField, CustomFieldValue
from crm.records.locks import lock_fields, lock_fields_shared
from tests.crm.contacts.helpers import form
from tests.crm.imports.helpers import HEADER, MAPPING, counts, csv_of, make, people, work
from tests.kit.cast import Cast

NUMBER = {"fieldType": "number", "valueType": "number"}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """Three records are many, and a batch has two."""
    settings.BULK_BATCH_ROWS = 2
    monkeypatch.setattr("crm.custom_fields.services.INLINE_LIMIT", 2)
    monkeypatch.setattr(removal_jobs, "INLINE_LIMIT", 2)


def drain() -> None:
    WORK["bulk-job"].drain(float("inf"))


def prepare(cast: Cast, *values: str, panel: str = "contact") -> str:
    """Create a text field `score`, and contacts that have these values. Returns the field's path."""
    field = cast.key.post("/custom-field", {"name": "Score", "fieldType": "text", "uniqueFieldID": "score"}).data
    cast.key.post("/contact/bulk", {"formData": [form(n, score=value) for n, value in enumerate(values)]})
    return f"/custom-field/{field['_id']}"


def held(cast: Cast) -> tuple[list[Any], list[Any]]:
    """Return the values of all contacts in the order of their addresses, and the typed ones."""
    with cast.scope():
        typed = CustomFieldValue.objects.order_by("contact__email").values_list("text", "number")
        return [one.get("score") for one in Contact.objects.order_by("email").values_list("custom", flat=True)], [
            text if number is None else number for text, number in typed
        ]


def ids(cast: Cast) -> list[str]:
    with cast.scope():
        return list(Contact.objects.order_by("email").values_list("pk", flat=True))


def after_first_batch(monkeypatch: pytest.MonkeyPatch, do: Callable[[], None]) -> None:
    """Call `do` once the first batch has been staged."""
    stage_values, calls = field_jobs.stage_values, []

    def wrapped(*args: Any, **options: Any) -> None:
        stage_values(*args, **options)
        calls.append(1)
        if len(calls) == 1:
            do()

    monkeypatch.setattr(field_jobs, "stage_values", wrapped)


def test_a_job_converts_and_until_then_all_is_as_before(cast: Cast, few: None) -> None:
    path = prepare(cast, "1", "2", "3", "4", "5")
    answer = cast.key.put(path, {**NUMBER, "name": "Points"})
    assert (answer.status, answer.data["name"], answer.data["valueType"]) == (200, "Points", "string")
    assert {key: answer.data["job"][key] for key in ("action", "status", "total", "processed")} == {
        "action": "convert_field",
        "status": "queued",
        "total": 5,
        "processed": 0,
    }
    assert held(cast) == (["1", "2", "3", "4", "5"], ["1", "2", "3", "4", "5"])
    first = ids(cast)[0]
    assert cast.key.put(f"/contact/{first}", {"formData": {"score": True}}).status == 400
    assert cast.key.put(f"/contact/{first}", {"formData": {"score": "7"}}).status == 200
    refused = cast.key.put(path, {"fieldType": "textarea"})
    assert (refused.status, refused.body["message"]) == (400, "Some values are missing or wrong.")
    assert "wait for the job" in refused.body["warning"]
    assert cast.key.put(path, {"helper": "h"}).data["job"]["status"] == "queued"
    drain()
    field = cast.key.get(path).data
    assert (field["valueType"], field["fieldType"], field["name"], field["helper"], field["job"]) == (
        "number",
        "number",
        "Points",
        "h",
        None,
    )
    assert held(cast) == ([7, 2, 3, 4, 5], [7, 2, 3, 4, 5])
    with cast.scope():
        job = BulkJob.objects.get(action="convert_field")
        assert (job.status, job.total, job.processed, job.changed, job.failed) == ("completed", 5, 5, 5, 0)
        assert not ConvertedValue.objects.exists()
    assert cast.key.put(f"/contact/{first}", {"formData": {"score": 8}}).status == 200


def test_what_is_written_meanwhile_is_converted_too(cast: Cast, few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    path = prepare(cast, "1", "2", "3", "4", "5")
    cast.key.put(path, NUMBER)

    def meanwhile() -> None:
        first, second, third, *_ = ids(cast)
        assert cast.key.put(f"/contact/{first}", {"formData": {"score": "10"}}).status == 200
        assert cast.key.put(f"/contact/{second}", {"formData": {"score": None}}).status == 200
        assert cast.key.put(f"/contact/{third}", {"formData": {"name": "Other"}}).status == 200
        assert cast.key.post("/contact", {"formData": form(9, score="90")}).status == 200

    after_first_batch(monkeypatch, meanwhile)
    drain()
    assert held(cast) == ([10, None, 3, 4, 5, 90], [10, 3, 4, 5, 90])
    with cast.scope():
        assert Contact.objects.order_by("email")[2].name == "Other"


def test_a_value_that_does_not_fit_ends_the_job_and_changes_nothing(
    cast: Cast, few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = prepare(cast, "1", "2", "3")
    cast.key.put(path, NUMBER)
    first = ids(cast)[0]
    assert cast.key.put(f"/contact/{first}", {"formData": {"score": "ten"}}).status == 200
    drain()
    field = cast.key.get(path).data
    assert (field["valueType"], field["job"]["status"]) == ("string", "failed")
    assert '"ten": ten is not a number' in field["job"]["error"]
    assert held(cast) == (["ten", "2", "3"], ["ten", "2", "3"])
    cast.key.put(f"/contact/{first}", {"formData": {"score": "10"}})
    with cast.scope():
        move_job(id=field["job"]["_id"], status="queued")
    drain()
    assert held(cast) == ([10, 2, 3], [10, 2, 3])


def test_values_that_may_go_are_dropped_by_the_job(cast: Cast, few: None) -> None:
    path = prepare(cast, "1", "two", "3", "four")
    assert cast.key.put(path, NUMBER).status == 400
    assert cast.key.put(path, {**NUMBER, "dropInvalid": True}).data["job"]["total"] == 4
    drain()
    assert held(cast) == ([1, None, 3, None], [1, 3])
    with cast.scope():
        job = BulkJob.objects.get(action="convert_field")
        assert (job.changed, job.failed) == (4, 2)


def test_a_field_may_be_deleted_while_it_is_converted(cast: Cast, few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    path = prepare(cast, "1", "2", "3")
    cast.key.put(path, NUMBER)
    after_first_batch(
        monkeypatch, lambda: cast.key.delete("/custom-field", {"ids": [path.rpartition("/")[2]]}) and None
    )
    drain()
    assert held(cast) == ([None, None, None], [])
    with cast.scope():
        assert list(BulkJob.objects.order_by("id").values_list("action", "status")) == [
            ("convert_field", "failed"),
            ("delete_field", "completed"),
        ]
        assert not CustomField.every.filter(unique_field_id="score").exists()


def test_a_deleted_field_is_gone_at_once_and_its_values_go_by_a_job(cast: Cast, outsiders: Cast, few: None) -> None:
    path, theirs = prepare(cast, "1", "2", "3", "4", "5"), prepare(outsiders, "1")
    tree = {"conditions": [{"field": "score", "operator": "equals", "value": "1"}]}
    segment = cast.key.post("/segment", {"name": "Ones", "panel": "contact", "advancedFilters": tree})
    assert segment.status == 201
    body = {"name": "Score", "fieldType": "text", "uniqueFieldID": "score"}
    assert cast.key.delete("/custom-field", {"ids": [path.rpartition("/")[2]]}).data == {"deletedCount": 1}
    assert cast.key.get(path).body["message"] == "Field not found."
    assert cast.key.get("/custom-field", filters={"isSystem": False}).data == []
    assert cast.key.get("/contact", sortBy="score").status == 400
    assert "score" in cast.key.get("/segment/execute", id=segment.data["_id"]).body["warning"]
    assert (
        cast.key.put(f"/contact/{ids(cast)[0]}", {"formData": {"score": "x"}}).body["message"]
        == "Field not found in your company."
    )
    refused = cast.key.post("/custom-field", body)
    assert (refused.status, "still being removed" in refused.body["warning"]) == (400, True)
    named = cast.key.post("/custom-field", {"name": "Score", "fieldType": "text"})
    assert named.status == 201, "the name is free at once"
    drain()
    assert held(cast) == ([None] * 5, [])
    with cast.scope():
        job = BulkJob.objects.get(action="delete_field")
        assert (job.action, job.status, job.total, job.processed) == ("delete_field", "completed", 5, 5)
        assert not CustomField.every.filter(unique_field_id="score").exists()
    assert cast.key.post("/custom-field", {**body, "name": "Score again"}).status == 201
    assert outsiders.key.get(theirs).data["name"] == "Score"
    assert held(outsiders) == (["1"], ["1"])


def test_what_ended_before_its_time_is_tidied_up(cast: Cast, few: None) -> None:
    path = prepare(cast, "1", "2", "x")
    cast.key.put(path, {**NUMBER, "dropInvalid": True})
    with cast.scope():
        BulkJob.objects.update(change={**BulkJob.objects.get(action="convert_field").change, "dropInvalid": False})
    drain()
    with unscoped(reason="test"):
        removal_jobs.clean_up()
        assert ConvertedValue.objects.count() == 2
        BulkJob.objects.update(updated_at=timezone.now() - removal_jobs.KEEP_STAGED - timedelta(minutes=1))
        removal_jobs.clean_up()
        assert ConvertedValue.objects.count() == 0
    cast.key.delete("/custom-field", {"ids": [path.rpartition("/")[2]]})
    with unscoped(reason="test"):
        BulkJob.objects.filter(action="delete_field").update(status="failed")
        removal_jobs.clean_up()
        removal_jobs.clean_up()
        assert BulkJob.objects.filter(action="delete_field", status="queued").count() == 1
    drain()
    assert held(cast) == ([None] * 3, [])


def test_an_import_reads_a_batch_again_when_a_field_has_changed(
    cast: Cast, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.IMPORT_BATCH_ROWS = 2
    path = prepare(cast)
    content = csv_of([f"{line},{place}" for place, line in enumerate(people(4))], HEADER + ",Score")
    job = make(cast, content, pauseImport=False, columnMapping={**MAPPING, "Score": "score"})
    from crm.imports import worker

    write, calls = worker._Turn._write, []

    def wrapped(turn: Any, *args: Any) -> bool:
        calls.append(1)
        if len(calls) == 2:
            assert cast.key.put(path, NUMBER).status == 200
        return write(turn, *args)

    monkeypatch.setattr(worker._Turn, "_write", wrapped)
    work()
    assert counts(dict(cast.key.get(f"/contact/import/{job['_id']}").data)) == ("completed", 4, 4, 0, 0, 0)
    assert held(cast) == ([0, 1, 2, 3], [0, 1, 2, 3])


@pytest.mark.django_db(transaction=True)
def test_who_changes_fields_waits_for_those_who_write_by_them() -> None:
    order: list[str] = []
    holding, ready = threading.Event(), threading.Event()

    def writer() -> None:
        try:
            with company_scope("a" * 24), transaction.atomic():
                lock_fields_shared()
                holding.set()
                ready.wait(10)
                order.append("written")
        finally:
            connection.close()

    def waiting() -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
            return bool(cursor.fetchone()[0])

    def changer() -> None:
        try:
            with company_scope("a" * 24), transaction.atomic():
                lock_fields()
                order.append("changed")
        finally:
            connection.close()

    threads = [threading.Thread(target=writer), threading.Thread(target=changer)]
    threads[0].start()
    assert holding.wait(10)
    threads[1].start()
    with company_scope("b" * 24), transaction.atomic():
        lock_fields()  # another company's
    for _ in range(1000):
        if waiting():
            break
    ready.set()
    for thread in threads:
        thread.join(10)
    assert order == ["written", "changed"]
