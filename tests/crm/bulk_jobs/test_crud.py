"""GET and PUT /bulk-job, and what makes changes of many become one"""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

import core.jobs
from core.ids import new_id
from core.models import Event
from crm.bulk_jobs import worker as bulk_work
from crm.models import BulkJob, Contact, Journal, Lead, ProductService, Tag
from tests.crm.bulk_jobs.helpers import done, work
from tests.crm.contacts.helpers import add_field, form
from tests.kit.cast import Caller, Cast, session_headers
from tests.kit.factories import ContactFactory, LeadFactory, MemberFactory, RoleFactory, TagFactory

PATH = "/bulk-job"


@pytest.fixture
def ids(cast: Cast, settings: Any) -> list[str]:
    """Seven contacts, in a world in which three are many."""
    settings.BULK_AT_ONCE, settings.BULK_BATCH_ROWS = 3, 2
    with cast.scope():
        add_field("city")
        add_field("colours", "multi-select", "array", options=["red", "blue"])
    items = [form(n, name=f"Ann {n}") for n in range(7)]
    return sorted(found["_id"] for found in cast.key.post("/contact/bulk", {"formData": items}).data["created"])


def change(cast: Cast, **query: Any) -> dict[str, Any]:
    answer = cast.key.put("/contact", {"selectAll": True, "formData": {"city": "Ulm"}, "automation": "skip"}, **query)
    assert (answer.status, answer.body["message"]) == (200, "The change runs in the background.")
    assert answer.data == {"matchedCount": None, "updatedCount": None}
    return cast.key.get(f"{PATH}/{answer.body['bulkJob']}").data


def cities(cast: Cast) -> list[Any]:
    with cast.scope():
        return [custom.get("city") for custom in Contact.objects.order_by("pk").values_list("custom", flat=True)]


def test_more_than_a_request_can_change_becomes_a_job(cast: Cast, ids: list[str]) -> None:
    job = change(cast, searchValue="ann")
    assert (job["action"], job["panel"], job["status"], job["total"], job["processed"]) == (
        "update",
        "contact",
        "queued",
        None,
        0,
    )
    assert (job["selection"], job["automation"]) == (
        {"selectAll": True, "nids": [], "query": {"searchValue": "ann"}},
        "skip",
    )
    assert job["change"] == {"formData": {"city": "Ulm"}, "updateType": "set"}
    assert (job["createdBy"]["_id"], job["canUndo"], job["percent"]) == (cast.owner.pk, False, 0.0)
    assert cities(cast) == [None] * 7
    late = cast.key.post("/contact", {"formData": form(99, name="Ann late")}).data["_id"]
    found = done(cast, job["_id"])
    assert (found["status"], found["total"], found["processed"], found["changed"], found["failed"]) == (
        "completed",
        7,
        7,
        7,
        0,
    )
    assert (found["percent"], found["canUndo"], found["error"], found["undoneBy"]) == (100.0, True, "", None)
    assert cities(cast) == ["Ulm"] * 7 + [None]
    with cast.scope():
        assert sorted(Event.objects.filter(kind="contact.updated").values_list("object_id", "automation")) == [
            (id, False) for id in ids
        ]
        assert sorted(Journal.objects.values_list("bulk_job_id", "record_id")) == [(job["_id"], id) for id in ids]
        assert Contact.objects.get(pk=late).custom == {}


def test_many_ids_become_a_job_too(cast: Cast, ids: list[str]) -> None:
    left_out, gone, *rest = ids
    assert cast.key.delete("/contact", {"ids": [gone]}).status == 200
    body = {"ids": [*reversed(ids), new_id()], "nids": [left_out], "formData": {"city": "Ulm"}}
    answer = cast.key.put("/contact", body)
    assert (answer.body["message"], answer.data) == (
        "The change runs in the background.",
        {"matchedCount": None, "updatedCount": None},
    )
    assert cast.key.delete("/contact", {"ids": rest[:2]}).status == 200, "a whole batch has gone meanwhile"
    job = done(cast, answer.body["bulkJob"])
    assert (job["status"], job["total"], job["processed"], job["changed"]) == ("completed", 3, 3, 3)
    assert cities(cast) == [None] * 4 + ["Ulm"] * 3
    done(cast, cast.key.post(f"{PATH}/{job['_id']}/undo").data["_id"])
    assert cities(cast) == [None] * 7
    removed = cast.key.delete("/contact", {"ids": ids})
    assert (removed.data, cast.key.get("/contact").body["totalCount"]) == ({"deletedCount": None}, 4)
    done(cast, removed.body["bulkJob"])
    assert cast.key.get("/contact").data == []
    restored = cast.key.post("/contact/restore", {"ids": ids})
    assert restored.data == {"restoredCount": None, "failed": None}
    done(cast, restored.body["bulkJob"])
    assert len(cast.key.get("/contact").data) == 7


def test_a_request_that_is_small_enough_is_done_at_once_and_can_be_undone(cast: Cast, ids: list[str]) -> None:
    answer = cast.key.put("/contact", {"selectAll": True, "nids": ids[3:], "formData": {"city": "Bonn"}})
    assert (answer.status, answer.data) == (200, {"matchedCount": 3, "updatedCount": 3})
    found = cast.key.get(f"{PATH}/{answer.body['bulkJob']}").data
    assert (found["status"], found["total"], found["changed"], found["canUndo"]) == ("completed", 3, 3, True)
    many = cast.key.put("/contact", {"ids": ids[2:5], "formData": {"city": "Bonn"}})
    assert (many.status, many.data["updatedCount"]) == (200, 2), "named ones are done alike"
    for body in (
        {"ids": ids[:1], "formData": {"city": "Ulm"}},
        {"ids": ids[:3], "formData": {"city": None}, "updateType": "set"},
    ):
        assert cast.key.put("/contact", body).status == 200
    alone = cast.key.put("/contact", {"ids": ids[:1], "formData": {"city": "Ulm"}})
    nothing = cast.key.put("/contact", {"ids": ids[:3], "formData": {"colours": []}})
    assert cast.key.get(f"{PATH}/{alone.body['bulkJob']}").data["total"] == 1
    assert "bulkJob" not in nothing.body
    with cast.scope():
        assert BulkJob.objects.count() == 5


def test_deletions_leads_and_products_go_the_same_way(cast: Cast, ids: list[str]) -> None:
    with cast.scope():
        tag = TagFactory().pk
        leads = sorted(LeadFactory(contact=contact).pk for contact in Contact.objects.filter(pk__in=ids[:4]))
        products = sorted(ProductService.objects.create(name=f"P{n}").pk for n in range(4))
    changed = cast.key.put(
        "/lead", {"selectAll": True, "tags": [tag], "productServices": products[:1], "updateType": "append"}
    )
    assert done(cast, changed.body["bulkJob"])["changed"] == 4
    price = cast.key.put("/product-service", {"selectAll": True, "formData": {"price": 2.5}})
    assert done(cast, price.body["bulkJob"])["changed"] == 4
    gone = [cast.key.delete(path, {"selectAll": True}) for path in ("/contact", "/lead", "/product-service")]
    assert [(answer.status, answer.data) for answer in gone] == [(200, {"deletedCount": None})] * 3
    assert [done(cast, answer.body["bulkJob"])["changed"] for answer in gone] == [7, 4, 4]
    with cast.scope():
        assert (
            Lead.objects.filter(pk__in=leads, tag_links__tag_id=tag, first_product="P0", is_deleted=True).count() == 4
        )
        assert set(ProductService.objects.values_list("price", "is_deleted")) == {(2.5, True)}
        kinds = (
            "contact.deleted",
            "lead.deleted",
            "lead.updated",
            "product-service.deleted",
            "product-service.updated",
        )
        assert [Event.objects.filter(kind=kind).count() for kind in kinds] == [7, 4, 4, 4, 4]


def test_a_job_takes_what_matches_when_its_turn_comes(cast: Cast, ids: list[str]) -> None:
    job = change(cast, filters={"name": [f"Ann {n}" for n in range(6)]})
    with cast.scope():
        first, *_, last = Contact.objects.order_by("pk")
        assert cast.key.put(f"/contact/{last.pk}", {"formData": {"name": "Ann 0"}}).status == 200
        assert cast.key.put(f"/contact/{first.pk}", {"formData": {"name": "Bob"}}).status == 200
    assert (done(cast, job["_id"])["changed"], cities(cast)[0], cities(cast)[-1]) == (6, None, "Ulm")


def test_pause_resume_and_cancel(cast: Cast, ids: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    job = change(cast)
    path, step = f"{PATH}/{job['_id']}", bulk_work._change_next

    def asked(status: str) -> Any:
        def during(held: BulkJob) -> Any:
            progress = step(held)
            monkeypatch.setattr(bulk_work, "_change_next", step)
            BulkJob.objects.filter(pk=held.pk).update(**{f"{status}_requested": True})
            return progress

        monkeypatch.setattr(bulk_work, "_change_next", during)
        return done(cast, job["_id"])

    assert cast.key.put(path, {"status": "paused"}).data["status"] == "paused"
    assert done(cast, job["_id"])["processed"] == 0
    again = cast.key.put(path, {"status": "paused"})
    assert (again.status, again.body["warning"]) == (400, "status: a job that is paused cannot be paused")
    assert cast.key.put(path, {"status": "queued"}).data["status"] == "queued"
    paused = asked("pause")
    assert (paused["status"], paused["processed"], paused["total"], paused["percent"]) == ("paused", 2, 7, 28.6)
    assert cast.key.put(path, {"status": "queued"}).data["status"] == "queued"
    stopped = asked("cancel")
    assert (stopped["status"], stopped["processed"], stopped["changed"], stopped["canUndo"]) == (
        "cancelled",
        4,
        4,
        True,
    )
    assert cities(cast) == ["Ulm"] * 4 + [None] * 3
    for status in ("paused", "queued", "cancelled"):
        assert cast.key.put(path, {"status": status}).status == 400
    while_at_work = change(cast)
    with cast.scope():
        core.jobs.claim(BulkJob, limit=1)
    moved = [
        cast.key.put(f"{PATH}/{while_at_work['_id']}", {"status": status}).data["status"]
        for status in ("paused", "queued")
    ]
    assert moved == ["running"] * 2
    assert cast.key.put(f"{PATH}/{while_at_work['_id']}", {"status": "cancelled"}).data["status"] == "running"
    with cast.scope():
        held = BulkJob.objects.get(pk=while_at_work["_id"])
        assert (held.pause_requested, held.cancel_requested, held.worker is None, held.lease is None) == (
            False,
            True,
            False,
            False,
        )


def test_what_cannot_be_changed_costs_no_other(cast: Cast, ids: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with cast.scope():
        Contact.objects.filter(pk=ids[3]).update(custom={"colours": ["red"]})
    monkeypatch.setattr("crm.records.writes.bulk_change.MAX_ITEMS", 1)
    answer = cast.key.put("/contact", {"selectAll": True, "formData": {"colours": ["blue"]}, "updateType": "append"})
    found = done(cast, answer.body["bulkJob"])
    assert (found["status"], found["processed"], found["changed"], found["failed"]) == ("completed", 7, 6, 1)
    assert found["report"] == {"failed": {ids[3]: "colours: a record would have more than 1 items"}}
    with cast.scope():
        assert Journal.objects.count() == 6


def test_a_change_that_has_lost_its_sense_ends_the_job_with_the_reason(cast: Cast, ids: list[str]) -> None:
    with cast.scope():
        tag = TagFactory().pk
    refused = cast.key.put("/contact", {"selectAll": True, "formData": {"planet": "Mars"}})
    assert (refused.status, refused.body["message"]) == (400, "Field not found in your company.")
    job = cast.key.put("/contact", {"selectAll": True, "tags": [tag]}).body["bulkJob"]
    with cast.scope():
        Tag.objects.all().delete()
    found = done(cast, job)
    assert (found["status"], found["changed"]) == ("failed", 0)
    assert tag in found["error"]
    assert cast.key.put(f"{PATH}/{job}", {"status": "queued"}).data["status"] == "queued"


def test_list_search_filter_sort_and_page(cast: Cast, ids: list[str]) -> None:
    jobs = [change(cast)["_id"], cast.key.delete("/contact", {"selectAll": True}).body["bulkJob"], change(cast)["_id"]]
    with cast.scope():
        work()
    assert [row["_id"] for row in cast.key.get(PATH).data] == jobs[::-1]
    assert [row["_id"] for row in cast.key.get(PATH, filters={"action": "delete"}).data] == [jobs[1]]
    assert [row["_id"] for row in cast.key.get(PATH, searchValue="upd", sortBy="createdAt", sortOrder="asc").data] == [
        jobs[0],
        jobs[2],
    ]
    assert [row["processed"] for row in cast.key.get(PATH, sortBy="changed,createdAt", sortOrder="asc,asc").data] == [
        0,
        7,
        7,
    ]
    first = cast.key.get(PATH, n="2", cursorPagination="true")
    assert (first.body["totalCount"], len(first.data)) == (3, 2)
    rest = cast.key.get(PATH, n="2", cursor=first.body["nextCursor"])
    assert ([row["_id"] for row in rest.data], rest.body["nextCursor"]) == ([jobs[0]], None)
    assert cast.key.get(PATH, filters={"color": "red"}).status == 400


def test_rights_of_the_panel_decide(cast: Cast, outsiders: Cast, ids: list[str]) -> None:
    job = change(cast)["_id"]
    with cast.scope():
        LeadFactory(contact=ContactFactory())
        other = BulkJob.objects.create(action="delete", panel="lead").pk
        role = RoleFactory(permission={"lead": {"GET": True, "PUT": True}})
        seller = Caller("/api/protected", session_headers(MemberFactory(status="accepted", role=role)))
        role = RoleFactory(permission={"tag": {"GET": True}})
        nobody = Caller("/api/protected", session_headers(MemberFactory(status="accepted", role=role)))
    assert [row["_id"] for row in seller.get(PATH).data] == [other]
    assert [row["_id"] for row in cast.narrow_session.get(PATH).data] == [job]
    assert sorted(row["_id"] for row in cast.session.get(PATH).data) == sorted([job, other])
    assert seller.get(f"{PATH}/{job}").status == 404
    assert seller.put(f"{PATH}/{other}", {"status": "paused"}).data["status"] == "paused"
    refused = cast.narrow_session.put(f"{PATH}/{job}", {"status": "paused"})
    assert (refused.status, seller.post(f"{PATH}/{other}/undo").status, nobody.get(PATH).status) == (403, 403, 403)
    assert (outsiders.key.get(PATH).data, outsiders.key.get(f"{PATH}/{job}").status) == ([], 404)
    assert outsiders.key.put(f"{PATH}/{job}", {"status": "cancelled"}).status == 404
    assert outsiders.key.post(f"{PATH}/{job}/undo").status == 404


def test_wrong_ids_and_bodies(cast: Cast, ids: list[str]) -> None:
    job = change(cast)["_id"]
    assert cast.key.get(f"{PATH}/{new_id()}").status == 404
    assert cast.key.get(f"{PATH}/x").body["message"] == "Invalid format for field _id: x"
    assert cast.key.put(f"{PATH}/x", {"status": "paused"}).status == 400
    assert cast.key.post(f"{PATH}/x/undo").status == 400
    for body in ({}, {"status": "running"}, {"status": 1}, {"status": "paused", "more": 1}, {"status": ["paused"]}):
        assert cast.key.put(f"{PATH}/{job}", body).status == 400
    for body in ({"automation": "maybe"}, {"more": 1}):
        assert cast.key.post(f"{PATH}/{job}/undo", body).status == 400


def test_a_list_asks_the_database_as_often_for_many_as_for_one(cast: Cast, ids: list[str]) -> None:
    asked = []
    for number in (1, 2, 3):
        change(cast)
        with CaptureQueriesContext(connection) as queries:
            assert len(cast.key.get(PATH, p="1", n="10").data) == number
            asked.append(len(queries))
    assert asked[1:] == [asked[1]] * 2
    assert 1 < asked[1] <= 8
