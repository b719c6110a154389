"""A field that has its new type while its records still wait to be rewritten: nobody notices."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest
from django.db import connection, transaction

from core.jobs import WORK
from core.tenancy import company_scope, unscoped
from crm.bulk_jobs.services import move_job
from crm.custom_fields import conversion_jobs as field_jobs
from crm.custom_fields import removal_jobs
from crm.models import BulkJob, Contact, ConvertedValue, CustomField, CustomFieldValue
from crm.records.locks import lock_fields_shared, try_lock_fields
from crm.records.models import CustomValues
from crm.records.types import RECORD_TYPES
from tests.crm.contacts.helpers import form
from tests.crm.custom_fields.test_jobs import NUMBER, drain, few, held, ids, prepare
from tests.kit.cast import Cast

__all__ = ["few"]


@pytest.fixture
def pausing(few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Conversions pause once their field has its new type."""
    switch = field_jobs._switch

    def wrapped(job: BulkJob, *args: Any) -> Any:
        BulkJob.objects.filter(pk=job.pk).update(pause_requested=True)
        return switch(job, *args)

    monkeypatch.setattr(field_jobs, "_switch", wrapped)


def switched(cast: Cast, *values: str, **change: Any) -> str:
    """Make contacts with these texts, and convert the field to a number. Returns the field's path."""
    path = prepare(cast, *values)
    assert cast.key.put(path, {**NUMBER, **change}).status == 200
    drain()
    field = cast.key.get(path).data
    assert (field["valueType"], field["job"]["status"]) == ("number", "paused")
    assert stored(cast) == [{"score": value} for value in values], "no record is rewritten yet"
    return path


def stored(cast: Cast) -> list[Any]:
    """Return the custom values of all contacts as the table has them."""
    with cast.scope(), connection.cursor() as cursor:
        cursor.execute("SELECT custom::text FROM crm_contact ORDER BY email")
        return [orjson.loads(custom) for (custom,) in cursor]


def go_on(cast: Cast) -> None:
    """Resume the conversion, and work until it is done."""
    with cast.scope():
        move_job(id=BulkJob.objects.get(action="convert_field").pk, status="queued")
    drain()
    with cast.scope():
        assert BulkJob.objects.get(action="convert_field").status == "completed"
        assert not ConvertedValue.objects.exists()
        assert not CustomField.objects.filter(pending=True).exists()


def scores(answer: Any) -> list[Any]:
    assert answer.status == 200, answer.body
    return [one["formData"].get("score") for one in answer.data]


def test_all_readers_see_the_new_values(cast: Cast, pausing: None) -> None:
    switched(cast, "1", "2.50", "x", "30", dropInvalid=True)
    assert scores(cast.key.get("/contact", sortBy="email", sortOrder="asc")) == [1, 2.5, None, 30]
    assert scores(cast.key.get("/contact", sortBy="score", sortOrder="desc"))[:3] == [30, 2.5, 1]
    tree = {"conditions": [{"field": "score", "operator": "greaterThan", "value": 2}]}
    assert scores(cast.key.get("/contact", sortBy="email", sortOrder="asc", advancedFilters=tree)) == [2.5, 30]
    first = ids(cast)[0]
    assert cast.key.get(f"/contact/{first}").data["formData"]["score"] == 1
    request = cast.session.get(f"/contact/{first}/access-request")
    assert '"Score": 1' in str(request.body).replace("'", '"')
    with cast.scope():
        assert Contact.objects.get(pk=first).custom == {"score": 1}
        assert Contact.objects.only("custom").select_for_update().get(pk=first).custom == {"score": 1}
    go_on(cast)
    assert stored(cast) == [{"score": 1}, {"score": 2.5}, {}, {"score": 30}]
    assert held(cast) == ([1, 2.5, None, 30], [1, 2.5, 30])


def test_writers_go_by_the_new_type(cast: Cast, pausing: None) -> None:
    switched(cast, *"123456")
    a, b, c, d, *_ = ids(cast)
    assert cast.key.put(f"/contact/{a}", {"formData": {"score": "x"}}).status == 400
    assert cast.key.put(f"/contact/{a}", {"formData": {"score": 10}}).status == 200
    assert cast.key.put(f"/contact/{b}", {"formData": {"score": None}}).status == 200
    assert cast.key.put(f"/contact/{c}", {"formData": {"name": "Other"}}).status == 200
    assert cast.key.delete("/contact", {"ids": [d]}).status == 200
    assert cast.key.post("/contact", {"formData": form(9, score=90)}).status == 200
    assert [one.get("score") for one in stored(cast)] == [10, None, 3, "4", "5", "6", 90], "others stay for the job"
    assert held(cast)[0] == [10, None, 3, 4, 5, 6, 90]
    assert cast.key.post("/contact/restore", {"ids": [d]}).status == 200
    go_on(cast)
    assert held(cast) == ([10, None, 3, 4, 5, 6, 90], [10, 3, 4, 5, 6, 90])


def test_changes_of_many_and_their_undoing(cast: Cast, pausing: None) -> None:
    switched(cast, *"1234")
    changed = cast.key.put("/contact", {"ids": ids(cast)[:3], "formData": {"score": 7}})
    assert (changed.status, changed.data["updatedCount"]) == (200, 3)
    assert held(cast)[0] == [7, 7, 7, 4]
    with cast.scope():
        events = BulkJob.objects.get(pk=changed.body["bulkJob"]).journal.values_list("before", flat=True)
        assert sorted(one["row"]["custom"]["score"] for one in events) == [1, 2, 3]
    assert cast.key.put(f"/contact/{ids(cast)[1]}", {"formData": {"score": 8}}).status == 200
    assert cast.key.post(f"/bulk-job/{changed.body['bulkJob']}/undo").status in (200, 201, 202)
    drain()
    assert held(cast)[0] == [1, 8, 3, 4]
    go_on(cast)
    assert held(cast) == ([1, 8, 3, 4], [1, 8, 3, 4])


def test_undoing_what_was_done_before_the_switch(cast: Cast, pausing: None) -> None:
    path = prepare(cast, *"1234")
    renamed = cast.key.put("/contact", {"ids": ids(cast), "formData": {"name": "Same"}}).body["bulkJob"]
    scored = cast.key.put("/contact", {"ids": ids(cast)[:2], "formData": {"score": "5"}}).body["bulkJob"]
    deleted = cast.key.delete("/contact", {"ids": ids(cast)[3:]}).body["bulkJob"]
    assert cast.key.put(path, NUMBER).status == 200
    drain()
    for job in (deleted, scored, renamed):
        assert cast.key.post(f"/bulk-job/{job}/undo").status in (200, 201, 202)
    drain()
    assert held(cast)[0] == [5, 5, 3, 4], "texts do not come back, as after any conversion"
    with cast.scope():
        assert set(Contact.objects.values_list("name", "is_deleted")) == {("", False)}
        reports = dict(BulkJob.objects.filter(action="undo").values_list("undoes", "report"))
        assert list(reports[scored]["kept"].values()) == [["score"], ["score"]]
        assert reports[renamed].get("keptCount", 0) == reports[deleted].get("keptCount", 0) == 0
    go_on(cast)
    assert held(cast) == ([5, 5, 3, 4], [5, 5, 3, 4])


def test_merging_and_taking_it_back(cast: Cast, pausing: None) -> None:
    path = prepare(cast, "1", "2", "3")
    one, other, _ = ids(cast)
    assert cast.key.put(f"/contact/{one}", {"formData": {"score": None}}).status == 200
    assert cast.key.put(path, NUMBER).status == 200
    drain()
    with cast.scope():
        assert BulkJob.objects.get(action="convert_field").status in ("paused", "completed")
    merged = cast.key.post("/contact/merge", {"ids": [one, other], "winner": one})
    assert merged.status == 200
    assert cast.key.get(f"/contact/{one}").data["formData"]["score"] == 2
    assert cast.key.post(f"/contact/merge/{merged.data['_id']}/undo").status == 200
    assert held(cast)[0] == [None, 2, 3]


@pytest.mark.parametrize("panel", ["lead", "productService"])
def test_records_of_other_kinds(cast: Cast, pausing: None, panel: str) -> None:
    resource = {"lead": "/lead", "productService": "/product-service"}[panel]
    field = {"name": "Score", "fieldType": "text", "uniqueFieldID": "score", "panel": panel}
    path = f"/custom-field/{cast.key.post('/custom-field', field).data['_id']}"
    made = []
    for n in range(4):
        values = form(n) if panel == "lead" else {"name": f"Product {n}"}
        made.append(cast.key.post(resource, {"formData": {**values, "score": str(n)}}).data["_id"])
    assert cast.key.put(path, NUMBER).status == 200
    drain()
    assert cast.key.get(path).data["job"]["status"] == "paused"
    found = [cast.key.get(f"{resource}/{id}").data["formData"]["score"] for id in made]
    assert found == [0, 1, 2, 3]
    assert cast.key.put(f"{resource}/{made[0]}", {"formData": {"score": 10}}).status == 200
    changed = cast.key.put(resource, {"ids": made[1:2], "formData": {"score": 11}})
    assert (changed.status, changed.data["updatedCount"]) == (200, 1)
    assert scores(cast.key.get(resource, sortBy="score", sortOrder="desc")) == [11, 10, 3, 2]
    go_on(cast)
    assert scores(cast.key.get(resource, sortBy="score", sortOrder="desc")) == [11, 10, 3, 2]


def test_the_next_conversion_waits_for_its_turn(cast: Cast, pausing: None) -> None:
    path = switched(cast, "1", "2", "3")
    for drop in (False, True):
        refused = cast.key.put(path, {"fieldType": "text", "valueType": "string", "dropInvalid": drop})
        assert (refused.status, "wait for the job" in refused.body["warning"]) == (400, True)
    with cast.scope():
        BulkJob.objects.filter(action="convert_field").update(status="failed")
    assert "wait for the job" in cast.key.put(path, {"fieldType": "text", "valueType": "string"}).body["warning"]
    assert cast.key.put(path, {"name": "Points"}).data["name"] == "Points"
    with unscoped(reason="test"):
        removal_jobs.clean_up()
    drain()
    assert cast.key.get(path).data["job"] is None, "a job that ended too early goes on by itself"
    assert held(cast) == ([1, 2, 3], [1, 2, 3])
    with cast.scope():
        BulkJob.objects.all().delete()
    assert cast.key.put(path, {"fieldType": "text", "valueType": "string"}).status == 200
    drain()
    go_on(cast)
    assert held(cast) == (["1", "2", "3"], ["1", "2", "3"])
    with cast.scope():
        assert CustomField.every.exclude(deleted_at=None).count() == 1


def test_the_field_may_be_deleted(cast: Cast, pausing: None) -> None:
    path = switched(cast, "1", "2", "3")
    assert cast.key.delete("/custom-field", {"ids": [path.rpartition("/")[2]]}).status == 200
    with cast.scope():
        move_job(id=BulkJob.objects.get(action="convert_field").pk, status="queued")
    drain()
    assert (stored(cast), held(cast)[1]) == ([{}, {}, {}], [])
    with cast.scope():
        assert not ConvertedValue.objects.exists()
        assert not CustomField.every.filter(is_system=False).exists()


def test_nobody_sees_what_is_staged(cast: Cast, few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    path = prepare(cast, *"12345")
    seen: list[Any] = []
    stage = field_jobs.stage_values

    def check_lists(*args: Any, **options: Any) -> None:
        stage(*args, **options)
        with cast.scope():
            assert ConvertedValue.objects.exists()
        seen.append(
            (
                scores(cast.key.get("/contact", sortBy="email", sortOrder="asc")),
                [one["uniqueFieldID"] for one in cast.key.get("/custom-field", filters={"isSystem": False}).data],
                cast.key.get("/contact", sortBy="score", sortOrder="asc").status,
            )
        )

    monkeypatch.setattr(field_jobs, "stage_values", check_lists)
    cast.key.put(path, NUMBER)
    drain()
    assert seen
    assert all(one == (list("12345"), ["score"], 200) for one in seen)


def test_an_erasure_takes_what_is_staged_and_pending(cast: Cast, pausing: None) -> None:
    switched(cast, "1", "2", "3")
    first = ids(cast)[0]
    answer = cast.session.post(f"/contact/{first}/erase", {"confirm": "ann0@example.com"})
    assert answer.status == 200, answer.body
    with cast.scope():
        assert not ConvertedValue.objects.filter(record_id=first).exists()
        assert not CustomFieldValue.objects.filter(contact=first).exists()
        assert Contact.objects.get(pk=first).custom == {}
    go_on(cast)
    with cast.scope():
        assert Contact.objects.get(pk=first).custom == {}
        assert sorted(CustomFieldValue.objects.values_list("number", flat=True)) == [2, 3]


def test_custom_values_of_all_kinds_are_read_with_the_pending_ones() -> None:
    assert RECORD_TYPES
    for record_type in RECORD_TYPES.values():
        assert isinstance(record_type.kind.model._meta.get_field("custom"), CustomValues)


@pytest.fixture
def busy_company() -> Iterator[Callable[[], None]]:
    """A company in which somebody writes for long."""
    holding, ready = threading.Event(), threading.Event()

    def writer() -> None:
        try:
            with company_scope("a" * 24), transaction.atomic():
                lock_fields_shared()
                holding.set()
                ready.wait(30)
        finally:
            connection.close()

    thread = threading.Thread(target=writer)
    thread.start()
    assert holding.wait(10)
    yield ready.set
    ready.set()
    thread.join(10)


@pytest.mark.django_db(transaction=True)
def test_the_lock_of_the_fields_is_given_up_for_long_writers(busy_company: Callable[[], None]) -> None:
    with company_scope("a" * 24), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '7s'")
        assert not try_lock_fields(0.01)
        busy_company()
        while not try_lock_fields(0.01):
            pass
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("7s",)


def test_a_conversion_comes_back_to_a_busy_company(cast: Cast, few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    path = prepare(cast, *"12345")
    refusals = [False, False, False]
    monkeypatch.setattr(field_jobs, "try_lock_fields", lambda seconds: refusals.pop() if refusals else True)
    cast.key.put(path, NUMBER)
    drain()
    assert not refusals
    assert held(cast) == ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
    with cast.scope():
        assert WORK["bulk-job"].due() is False
