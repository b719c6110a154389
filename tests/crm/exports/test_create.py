"""Exports: the list's own query under the list's own right, at once or as a job that ends in exactly one file."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.storage import FileSystemStorage
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Company, CompanySettings, Member
from core.ids import new_id
from core.jobs import sweep
from crm.exports import services as exports
from crm.exports import worker
from crm.exports.sources import SOURCES
from crm.files import storage as file_storage
from crm.models import Contact, CustomField, Export, File
from tests.crm.contacts.helpers import form
from tests.crm.exports.helpers import content_of, make, records, table, work
from tests.kit.cast import SESSION, Caller, Cast, session_headers
from tests.kit.factories import ContactFactory, LeadFactory, MemberFactory, RoleFactory, TagFactory

CONTACT_COLUMNS = [
    *(
        "_id",
        "name",
        "email",
        "countryCode",
        "number",
        "City",
        "contactNumber",
        "category._id",
        "category.name",
        "tags",
        "importId",
    ),
    *("unsubscribed", "unsubscribedAt", "createdBy._id", "createdBy.name", "createdBy.email"),
    *("updatedBy._id", "updatedBy.name", "updatedBy.email", "isDeleted", "createdAt", "updatedAt"),
]


@pytest.fixture(autouse=True)
def media(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A storage of the test's own."""
    monkeypatch.setattr(file_storage, "default_storage", FileSystemStorage(location=tmp_path))
    return tmp_path


def with_role(cast: Cast, permission: dict[str, Any]) -> Caller:
    with cast.scope():
        return Caller(
            SESSION,
            session_headers(MemberFactory(status=Member.Status.ACCEPTED, role=RoleFactory(permission=permission))),
        )


def stored(media: Path) -> list[str]:
    """What is in the storage, unfinished files too."""
    return sorted(
        os.path.relpath(os.path.join(place, name), media) for place, _, names in os.walk(media) for name in names
    )


# At once


def test_columns_and_cells_of_contacts(scope: Cast) -> None:
    CustomField.objects.create(name="City", unique_field_id="city", field_type="text", value_type="string", order=90)
    tags = [TagFactory(name=name).pk for name in ("VIP", "Fair")]
    Company.objects.filter(pk=scope.company.pk).update(timezone="Europe/Berlin")
    CompanySettings.objects.update_or_create(defaults={"date_format": "yyyy-mm-dd", "time_format": "HH:mm"})
    made = scope.key.post("/contact", {"formData": form(1, name="=Ann", city="Rome"), "tags": tags}).data
    Contact.objects.update(created_at="2026-07-31T22:30:00Z")
    answer = scope.key.get("/contact/export")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="contact-{timezone.now():%Y-%m-%d}.csv"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    (row,) = records(answer)
    assert list(row) == CONTACT_COLUMNS
    assert row | {"updatedAt": ""} == dict.fromkeys(CONTACT_COLUMNS, "") | {
        "_id": made["_id"],
        "name": "'=Ann",
        "email": "ann1@example.com",
        "countryCode": "+49",
        "number": "1701000001",
        "contactNumber": "+491701000001",
        "City": "Rome",
        "tags": "Fair; VIP",
        "unsubscribed": "false",
        "isDeleted": "false",
        "createdBy._id": scope.owner.pk,
        "createdBy.name": scope.owner.name,
        "createdBy.email": scope.owner.email,
        "updatedBy._id": scope.owner.pk,
        "updatedBy.name": scope.owner.name,
        "updatedBy.email": scope.owner.email,
        "createdAt": "2026-08-01 00:30",
    }


def test_fields_stand_in_the_panels_order_and_clashing_names_bear_their_key(scope: Cast) -> None:
    CustomField.objects.filter(is_system=True, unique_field_id="email").update(order=-5)
    for key, name, order in (("k1", "tags", -4), ("k2", "Score", 95)):
        CustomField.objects.create(name=name, unique_field_id=key, field_type="text", value_type="string", order=order)
    (header,) = table(scope.key.get("/contact/export").body)
    assert header[:3] == ["_id", "email", "tags (k1)"]
    assert header.index("Score") < header.index("contactNumber")
    assert header.count("tags") == 1


def test_columns_may_be_chosen_by_header_key_or_id(scope: Cast) -> None:
    field = CustomField.objects.create(name="City", unique_field_id="city", field_type="text", value_type="string")
    ContactFactory(name="Ann", custom={"city": "Rome"})
    for name in ("City", "city", field.pk):
        assert table(scope.key.get("/contact/export", columns=f"{name},name").body) == [
            ["City", "name"],
            ["Rome", "Ann"],
        ]
    wrong = scope.key.get("/contact/export", columns="name,nothing")
    assert (wrong.status, wrong.body["warning"][:38]) == (400, "columns: there is no column 'nothing';")


def test_the_query_is_that_of_the_list(scope: Cast) -> None:
    for name in ("Bob", "Ann", "Annabel", "Cleo"):
        ContactFactory(name=name)
    query = {"searchValue": "ann", "searchBy": "name", "sortBy": "name", "sortOrder": "asc"}
    listed = [row["name"] for row in scope.key.get("/contact", **query).data]
    assert [row["name"] for row in records(scope.key.get("/contact/export", **query))] == listed == ["Ann", "Annabel"]
    assert [row["name"] for row in records(scope.key.get("/contact/export", filters={"name": "Cleo"}))] == ["Cleo"]
    for wrong in (
        {"filters": {"nothing": 1}},
        {"sortBy": "nothing"},
        {"nothing": "1"},
        {"p": "1"},
        {"n": "1"},
        {"format": "pdf"},
    ):
        answer = scope.key.get("/contact/export", **wrong)
        assert (answer.status, answer.body["warning"].split(":")[0]) == (400, next(iter(wrong))), answer.body


def test_more_records_than_go_out_at_once_need_a_job(scope: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "AT_ONCE", 2)
    ContactFactory.create_batch(2)
    assert len(records(scope.key.get("/contact/export"))) == 2
    ContactFactory()
    answer = scope.key.get("/contact/export")
    assert (answer.status, answer.body["warning"]) == (
        400,
        "more than 2 records match; POST /export makes a file of any number",
    )


def test_pieces_neither_lose_nor_repeat_a_record_and_keep_the_order(
    scope: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crm.exports.sources.CHUNK", 3)
    ContactFactory.create_batch(10)
    listed = [row["_id"] for row in scope.key.get("/contact", sortBy="email", sortOrder="asc").data]
    assert len(listed) == 10
    assert [row["_id"] for row in records(scope.key.get("/contact/export", sortBy="email", sortOrder="asc"))] == listed


def test_a_workbook(scope: Cast) -> None:
    ContactFactory(name="=1+1")
    answer = scope.key.get("/contact/export", format="xlsx", columns="name")
    assert answer.headers["Content-Type"] == "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    assert answer.headers["Content-Disposition"].endswith('.xlsx"')
    assert answer.body.startswith(b"PK")


def test_every_list_can_be_exported_under_its_own_right(cast: Cast) -> None:
    assert len(SOURCES) > 12
    for resource, source in SOURCES.items():
        module = source.module
        for caller in (cast.key, with_role(cast, {module: {"GET": True}})):
            header = table(caller.get(f"/{resource}/export").body)[0]
            assert header[0] == "_id"
            assert len(header) == len(set(header))
        refused = with_role(cast, {"file": {"GET": True, "POST": True}}).get(f"/{resource}/export")
        assert (refused.status, refused.body["warning"]) == (403, f"your role lacks the permission {module}.GET")
        with cast.scope():
            assert set(source.listing.output.conceals).isdisjoint(header)


def test_the_number_of_queries_does_not_grow_with_the_records(scope: Cast) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert scope.key.get("/lead/export").status == 200
        return len(captured)

    LeadFactory.create_batch(2)
    queries()
    few = queries()
    LeadFactory.create_batch(20)
    assert queries() == few


# Jobs


def test_a_job_ends_in_a_file(scope: Cast, media: Path) -> None:
    ContactFactory.create_batch(3)
    made = make(
        scope.session,
        query={"sortBy": "email", "sortOrder": "asc", "filters": {"unsubscribed": False}},
        columns=["email", "name"],
    )
    assert (made["status"], made["total"], made["processed"], made["file"], made["url"]) == (
        "queued",
        None,
        0,
        None,
        None,
    )
    assert made["query"] == {"sortBy": "email", "sortOrder": "asc", "filters": {"unsubscribed": False}}
    assert scope.key.get("/file").data == []
    work()
    done = scope.key.get(f"/export/{made['_id']}").data
    assert (done["status"], done["total"], done["processed"], done["percent"], done["error"]) == (
        "completed",
        3,
        3,
        100.0,
        "",
    )
    assert done["createdBy"]["_id"] == scope.owner.pk
    assert done["file"]["name"] == f"contact-{timezone.now():%Y-%m-%d}.csv"
    assert done["url"].startswith(f"{settings.BASE_URL}/files/{done['file']['_id']}/")
    expected = scope.key.get("/contact/export", columns="email,name", sortBy="email", sortOrder="asc").body
    assert content_of(scope.key, done) == expected
    (file,) = scope.key.get("/file").data
    assert (file["_id"], file["size"], file["mime"]) == (done["file"]["_id"], len(expected), "text/csv")
    assert len(file["hashes"]["sha256"]) == 64
    assert len(stored(media)) == 1


def test_a_workbook_job(scope: Cast) -> None:
    ContactFactory()
    made = make(scope.key, format="xlsx")
    work()
    done = scope.key.get(f"/export/{made['_id']}").data
    assert done["file"]["name"].endswith(".xlsx")
    assert content_of(scope.key, done).startswith(b"PK")


def test_bad_bodies_are_refused_and_leave_nothing(scope: Cast) -> None:
    for body, warning in (
        ({"resource": "nothing"}, "resource: one of "),
        ({"resource": "contact", "query": {"filters": {"nothing": 1}}}, "filters: "),
        ({"resource": "contact", "query": {"n": "5"}}, "n: an export is of all that matches"),
        ({"resource": "contact", "query": {"sortBy": 5}}, "sortBy: "),
        ({"resource": "contact", "columns": ["nothing"]}, "columns: there is no column"),
        ({"resource": "contact", "format": "pdf"}, "format: "),
        ({"resource": "contact", "more": 1}, "more: "),
        ({}, "resource: "),
    ):
        answer = scope.key.post("/export", body)
        assert answer.status == 400, (body, answer.body)
        assert answer.body["warning"].startswith(warning), (body, answer.body)
    assert (Export.objects.count(), File.objects.count()) == (0, 0)


def test_who_may_not_read_the_list_may_not_export_it_nor_see_its_exports(scope: Cast) -> None:
    made = make(scope.session, "lead")
    everything = dict.fromkeys(("GET", "POST", "PUT", "DELETE"), True)
    limited = with_role(scope, {"file": everything, "contact": {"GET": True}})
    refused = limited.post("/export", {"resource": "lead"})
    assert (refused.status, refused.body["warning"]) == (403, "your role lacks the permission lead.GET")
    own = make(limited, "contact")
    assert [row["_id"] for row in limited.get("/export").data] == [own["_id"]]
    assert limited.get(f"/export/{made['_id']}").status == 404
    assert limited.put(f"/export/{made['_id']}", {"status": "cancelled"}).status == 404
    assert limited.delete("/export", {"ids": [made["_id"]]}).status == 404
    assert {row["_id"] for row in scope.session.get("/export").data} == {own["_id"], made["_id"]}


def test_another_companys_export_looks_missing(scope: Cast, outsiders: Cast) -> None:
    made = make(scope.key)
    for id in (made["_id"], new_id()):
        assert outsiders.key.get(f"/export/{id}").body["warning"] == "id: there is no such export in this company"
        assert outsiders.key.put(f"/export/{id}", {"status": "cancelled"}).status == 404
        assert outsiders.key.delete("/export", {"ids": [id]}).status == 404
    assert outsiders.key.get("/export/xyz").status == 400


def test_the_list_filters_sorts_and_pages(scope: Cast) -> None:
    ids = [make(scope.key, resource)["_id"] for resource in ("contact", "lead", "tag")]
    assert [row["_id"] for row in scope.key.get("/export").data] == ids[::-1]
    assert [row["_id"] for row in scope.key.get("/export", filters={"resource": "lead"}).data] == [ids[1]]
    page = scope.key.get("/export", sortBy="resource", sortOrder="asc", p="2", n="2")
    assert ([row["resource"] for row in page.data], page.body["totalCount"]) == (["tag"], 3)


def test_a_queued_export_is_cancelled_at_once_and_one_at_work_after_its_piece(
    scope: Cast, media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crm.exports.sources.CHUNK", 1)
    ContactFactory.create_batch(3)
    first = make(scope.key)
    assert scope.key.put(f"/export/{first['_id']}", {"status": "cancelled"}).data["status"] == "cancelled"
    again = scope.key.put(f"/export/{first['_id']}", {"status": "cancelled"})
    assert (again.status, again.body["warning"]) == (400, "status: an export that is cancelled cannot be cancelled")
    second = make(scope.key)
    real = worker.checkpoint

    def cancelling(job: Export, **progress: Any) -> bool:
        if job.processed == 1:
            assert scope.key.put(f"/export/{second['_id']}", {"status": "cancelled"}).data["status"] == "running"
        return real(job, **progress)

    monkeypatch.setattr(worker, "checkpoint", cancelling)
    work()
    found = scope.key.get(f"/export/{second['_id']}").data
    assert (found["status"], found["processed"], found["total"], found["file"]) == ("cancelled", 2, 3, None)
    assert stored(media) == []
    assert not File.objects.filter(is_deleted=False).exists()
    assert file_storage.has_leftovers()
    file_storage.remove_leftovers(float("inf"))
    assert not File.objects.exclude(path="").exists()


def test_deleting_puts_files_into_the_bin_and_stops_what_is_at_work(
    scope: Cast, media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ContactFactory()
    done = make(scope.key)
    work()
    waiting, busy = make(scope.key), make(scope.key)
    assert scope.key.delete("/export", {"ids": [done["_id"], waiting["_id"]]}).data == {"deletedCount": 2}
    assert [row["trashedBy"] for row in scope.key.get("/file/recycle-bin").data] == [scope.owner.pk]
    real = worker.cells_of

    def deleting(*args: Any) -> Any:
        assert scope.key.delete("/export", {"ids": [busy["_id"]]}).data == {"deletedCount": 1}
        return real(*args)

    monkeypatch.setattr(worker, "cells_of", deleting)
    work()
    assert scope.key.get("/export").data == []
    assert len(stored(media)) == 1
    assert scope.key.delete("/export", {"ids": [done["_id"]]}).status == 404
    assert scope.key.delete("/export", {"selectAll": True}).data == {"deletedCount": 0}


def test_a_dead_workers_export_goes_on_and_ends_in_one_file(
    scope: Cast, media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Death at each of the moments that matter: while it writes, and between the storing of the content and the end of
    the job."""
    monkeypatch.setattr("crm.exports.sources.CHUNK", 1)
    ContactFactory.create_batch(2)

    class Killed(BaseException):
        """What nothing catches, as kill -9."""

    def die(*args: Any, **values: Any) -> bool:
        raise Killed

    made = make(scope.key)
    for name in ("checkpoint", "_complete"):
        with monkeypatch.context() as dying:
            dying.setattr(worker, name, die)
            dying.setattr(
                file_storage.shutil, "rmtree", lambda *args, **values: None
            )  # a killed process tidies nothing
            with pytest.raises(Killed):
                work()
        assert Export.objects.get().status == "running"
        Export.objects.update(worker=None)
        assert sweep() == 1
    work()
    done = scope.key.get(f"/export/{made['_id']}").data
    assert (done["status"], done["processed"]) == ("completed", 2)
    assert len(table(content_of(scope.key, done))) == 3
    file = File.objects.get()
    assert stored(media) == [file.path]


def test_a_worker_that_lost_its_lease_leaves_no_content(
    scope: Cast, media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ContactFactory()
    made = make(scope.key)
    real = worker._complete

    def overtaken(job: Export, received: Any) -> None:
        Export.objects.update(status="queued", lease=new_id())
        monkeypatch.setattr(worker, "_complete", real)
        work()
        real(job, received)

    monkeypatch.setattr(worker, "_complete", overtaken)
    work()
    done = scope.key.get(f"/export/{made['_id']}").data
    assert done["status"] == "completed"
    assert stored(media) == [File.objects.get().path]
    assert len(table(content_of(scope.key, done))) == 2


def test_a_query_that_no_longer_holds_fails_with_its_reason(scope: Cast) -> None:
    field = CustomField.objects.create(name="City", unique_field_id="city", field_type="text", value_type="string")
    made = make(scope.key, query={"filters": {"city": "Rome"}})
    field.delete()
    work()
    failed = scope.key.get(f"/export/{made['_id']}").data
    assert failed["status"] == "failed"
    assert "the field 'city' is unknown" in failed["error"]
    assert failed["file"] is None
    assert not File.objects.filter(trashed_at=None).exists()


def test_old_exports_go_with_their_files(scope: Cast, media: Path) -> None:
    for _ in range(2):
        make(scope.key)
    work()
    kept, old = Export.objects.order_by("pk")
    Export.objects.filter(pk=old.pk).update(
        finished_at=timezone.now() - timedelta(days=settings.EXPORT_DAYS, minutes=1)
    )
    assert exports.purge_exports() is False
    assert list(Export.objects.values_list("pk", flat=True)) == [kept.pk]
    file_storage.remove_leftovers(float("inf"))
    assert stored(media) == [File.objects.get(pk=kept.file_id).path]
