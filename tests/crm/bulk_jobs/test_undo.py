"""POST /bulk-job/:id/undo, and how long there is something to undo by"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Notification
from core.jobs import WORK
from core.models import Event
from core.tenancy import unscoped
from crm.models import BulkJob, Contact, Journal
from tests.crm.bulk_jobs.helpers import done
from tests.crm.bulk_jobs.test_journal import everything
from tests.crm.contacts.helpers import add_field, form
from tests.kit.cast import Cast

PATH = "/bulk-job"


@pytest.fixture
def ids(cast: Cast, settings: Any) -> list[str]:
    """Five contacts, in a world in which four are many."""
    settings.BULK_AT_ONCE, settings.BULK_BATCH_ROWS = 3, 2
    with cast.scope():
        add_field("city")
    items = [form(n, name=f"Ann {n}", city="Bonn") for n in range(5)]
    return sorted(found["_id"] for found in cast.key.post("/contact/bulk", {"formData": items}).data["created"])


@pytest.fixture
def few(ids: list[str], settings: Any) -> None:
    """The five are few."""
    settings.BULK_AT_ONCE = 5


def rows(cast: Cast) -> dict[str, Any]:
    with cast.scope():
        return everything()


def undo(cast: Cast, job: str, **body: Any) -> dict[str, Any]:
    answer = cast.key.post(f"{PATH}/{job}/undo", body)
    assert answer.status == 201, answer.body
    assert (answer.data["action"], answer.data["undoes"], answer.data["status"]) == ("undo", job, "queued")
    return done(cast, answer.data["_id"])


def test_a_small_undo_tells_nobody_of_itself(cast: Cast, ids: list[str], settings: Any) -> None:
    def told() -> list[str | None]:
        with cast.scope():
            return list(Notification.objects.order_by("created_at", "id").values_list("record_id", flat=True))

    many = cast.key.put("/contact", {"selectAll": True, "formData": {"city": "Ulm"}}).body["bulkJob"]
    done(cast, many)
    undone = undo(cast, many)
    assert told() == [many, undone["_id"]]
    settings.BULK_AT_ONCE = 5
    few = cast.key.put("/contact", {"selectAll": True, "formData": {"city": "Bremen"}}).body["bulkJob"]
    assert undo(cast, few)["changed"] == 5
    assert told() == [many, undone["_id"]]


@pytest.mark.parametrize("method", ["put", "delete"])
def test_a_job_is_undone_to_the_byte(cast: Cast, ids: list[str], method: str) -> None:
    was = rows(cast)
    body = {"selectAll": True} | ({"formData": {"city": "Ulm", "name": "Team"}} if method == "put" else {})
    job = getattr(cast.key, method)("/contact", body).body["bulkJob"]
    assert done(cast, job)["changed"] == 5
    assert rows(cast) != was
    found = undo(cast, job, automation="skip")
    assert (found["status"], found["total"], found["processed"], found["changed"], found["failed"]) == (
        "completed",
        5,
        5,
        5,
        0,
    )
    assert rows(cast) == was
    source = cast.key.get(f"{PATH}/{job}").data
    assert (source["undoneBy"], source["canUndo"], source["undoneAt"] is not None) == (found["_id"], False, True)
    with cast.scope():
        events = Event.objects.filter(
            kind="contact.updated" if method == "put" else "contact.restored", automation=False
        )
        assert sorted(events.values_list("object_id", flat=True)) == ids
        if method == "put":
            told = events.first()
            assert told is not None
            assert told.payload["changes"]["city"] == {"from": "Ulm", "to": "Bonn"}


def test_a_change_at_once_is_undone_too(cast: Cast, ids: list[str], few: None) -> None:
    was = rows(cast)
    job = cast.key.delete("/contact", {"ids": ids}).body["bulkJob"]
    assert cast.key.get("/contact").data == []
    assert undo(cast, job)["changed"] == 5
    assert rows(cast) == was


def test_what_others_did_since_stays_and_is_told(cast: Cast, ids: list[str], few: None) -> None:
    job = cast.key.put("/contact", {"ids": ids, "formData": {"city": "Ulm"}}).body["bulkJob"]
    cast.key.put(f"/contact/{ids[0]}", {"formData": {"city": "Aachen"}})
    gone = cast.key.delete("/contact", {"ids": ids[1:3]}).body["bulkJob"]
    taker = cast.key.get(f"/contact/{ids[3]}").data
    with cast.scope():
        taken = Contact.objects.get(pk=ids[1])
    cast.key.put(f"/contact/{ids[3]}", {"formData": {"email": taken.email}})
    found = undo(cast, job)
    assert (found["changed"], found["report"]["kept"], found["report"]["keptCount"]) == (4, {ids[0]: ["city"]}, 1)
    found = undo(cast, gone)
    assert (found["changed"], found["failed"], found["report"]["taken"]) == (1, 1, {ids[1]: "email"})
    with cast.scope():
        cities = [row.custom["city"] for row in Contact.objects.order_by("pk")]
        assert cities == ["Aachen", "Bonn", "Bonn", "Bonn", "Bonn"]
        assert list(Contact.objects.filter(is_deleted=True).values_list("pk", flat=True)) == [ids[1]]
    assert taker["email"] != taken.email


def test_what_cannot_be_undone_is_refused(cast: Cast, ids: list[str], settings: Any) -> None:
    job = cast.key.put("/contact", {"selectAll": True, "formData": {"city": "Ulm"}}).body["bulkJob"]

    def refusal(id: str) -> str:
        answer = cast.key.post(f"{PATH}/{id}/undo")
        assert (answer.status, answer.body["message"]) == (400, "This request is not possible.")
        return answer.body["warning"]

    assert refusal(job) == "id: the job is queued; cancel it, or wait for its end"
    cast.key.put(f"{PATH}/{job}", {"status": "cancelled"})
    assert refusal(job) == "id: nothing has been done that could be undone"
    settings.BULK_AT_ONCE = 5
    job = cast.key.put("/contact", {"ids": ids, "formData": {"city": "Ulm"}}).body["bulkJob"]
    undoing = cast.key.post(f"{PATH}/{job}/undo").data["_id"]
    assert refusal(job) == "id: another bulk job is undoing it"
    done(cast, undoing)
    assert refusal(job) == "id: another bulk job has undone it"
    assert refusal(undoing) == "id: a job of action undo cannot be undone"
    old = cast.key.put("/contact", {"ids": ids, "formData": {"city": "Kiel"}}).body["bulkJob"]
    with cast.scope():
        BulkJob.objects.filter(pk=old).update(started_at=timezone.now() - timedelta(days=30, minutes=1))
    assert refusal(old) == "id: can be undone for 30 days only"
    assert cast.key.get(f"{PATH}/{old}").data["canUndo"] is False


def test_an_undoing_that_was_cancelled_can_be_begun_again(cast: Cast, ids: list[str], few: None) -> None:
    was = rows(cast)
    job = cast.key.put("/contact", {"ids": ids, "formData": {"city": "Ulm"}}).body["bulkJob"]
    undoing = cast.key.post(f"{PATH}/{job}/undo").data["_id"]
    cast.key.put(f"{PATH}/{undoing}", {"status": "cancelled"})
    assert undo(cast, job)["changed"] == 5
    assert rows(cast) == was


def test_journals_go_when_nothing_can_be_undone_by_them(
    cast: Cast, ids: list[str], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast.key.put("/contact", {"ids": ids, "formData": {"city": "Ulm"}})
    monkeypatch.setattr("crm.bulk_jobs.undo.SWEEP", 2)
    with cast.scope():
        assert Journal.objects.count() == 5
        Journal.objects.exclude(record_id=ids[0]).update(created_at=timezone.now() - timedelta(days=31, minutes=1))
        Journal.objects.filter(record_id=ids[0]).update(created_at=timezone.now() - timedelta(days=30, minutes=1))
    with unscoped(reason="test: the periodic task works for all companies"):
        assert [WORK["periodic:journals"].run() for _ in range(3)] == [True, True, False]
    with cast.scope():
        assert list(Journal.objects.values_list("record_id", flat=True)) == [ids[0]]
