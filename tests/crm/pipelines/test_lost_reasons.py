"""Reasons for lost leads: /lost-reason, and the setting that asks for one."""

from __future__ import annotations

import pytest

from accounts.models import CompanySettings
from tests.crm.bulk_jobs.helpers import done
from tests.crm.leads.helpers import make
from tests.crm.pipelines.helpers import make_pipeline, stage_ids
from tests.kit.cast import Cast

MISSING = "0" * 24


@pytest.fixture
def reason(cast: Cast) -> str:
    answer = cast.key.post("/lost-reason", {"name": "Price"})
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])


def test_creates_reads_renames_and_deletes(cast: Cast, reason: str) -> None:
    cast.session.post("/lost-reason", {"name": "Timing"})
    assert [row["name"] for row in cast.key.get("/lost-reason", sortBy="name", sortOrder="asc").data] == [
        "Price",
        "Timing",
    ]
    assert cast.key.post("/lost-reason", {"name": "price"}).body["message"] == "A reason with this name already exists."
    assert cast.key.put(f"/lost-reason/{reason}", {"name": "Too expensive"}).data["name"] == "Too expensive"
    lead = make(cast, 1, formData={"status": "lost"}, lostReason=reason)
    assert lead["lostReason"] == {"_id": reason, "name": "Too expensive"}
    assert cast.key.delete("/lost-reason", {"ids": [reason]}).data == {"deletedCount": 1}
    assert cast.key.get(f"/lead/{lead['_id']}").data["lostReason"] is None
    assert cast.key.delete("/lost-reason", {"ids": [MISSING]}).status == 404
    assert cast.key.get(f"/lost-reason/{reason}").status == 404


def test_only_lost_leads_have_a_reason(cast: Cast, reason: str) -> None:
    lead = make(cast, 1, lostReason=reason)
    assert lead["lostReason"] is None
    address = f"/lead/{lead['_id']}"
    assert cast.key.put(address, {"lostReason": reason}).data["lostReason"] is None
    lost = cast.key.put(address, {"formData": {"status": "lost"}, "lostReason": reason}).data
    assert lost["lostReason"]["_id"] == reason
    assert cast.key.put(address, {"lostReason": MISSING}).status == 404
    assert cast.key.put(address, {"formData": {"value": 3}}).data["lostReason"]["_id"] == reason
    assert cast.key.put(address, {"formData": {"status": "new"}}).data["lostReason"] is None


def test_the_setting_asks_for_a_reason(cast: Cast, reason: str) -> None:
    pipeline = make_pipeline(cast)
    gone = stage_ids(pipeline)["Gone"]
    assert cast.key.put("/settings", {"lostReasonRequired": True}).data["lostReasonRequired"] is True
    first, second = (make(cast, number) for number in (1, 2))
    address = f"/lead/{first['_id']}"
    for body in ({"formData": {"status": "lost"}}, {"stage": gone}):
        answer = cast.key.put(address, body)
        assert (answer.status, answer.body["message"]) == (400, "Choose a reason for loss.")
        many = {"ids": [first["_id"], second["_id"]], **body}
        assert cast.key.put("/lead", many).status == 400
    assert cast.key.put(address, {"stage": gone, "lostReason": reason}).data["status"] == "lost"
    assert cast.key.put(address, {"formData": {"value": 4}}).status == 200
    answer = cast.key.put("/lead", {"ids": [second["_id"]], "formData": {"status": "lost"}, "lostReason": reason})
    assert answer.data == {"matchedCount": 1, "updatedCount": 1}
    with cast.scope():
        assert CompanySettings.objects.get().lost_reason_required is True


def test_the_setting_keeps_the_reason_of_a_lost_lead(cast: Cast, reason: str) -> None:
    gone = stage_ids(make_pipeline(cast))["Gone"]
    lead = make(cast, 1, formData={"status": "lost"}, lostReason=reason)
    old = make(cast, 2, formData={"status": "lost"})
    address, ids = f"/lead/{lead['_id']}", {"ids": [lead["_id"], old["_id"]]}
    cast.key.put("/settings", {"lostReasonRequired": True})
    for body in ({"lostReason": None}, {"lostReason": None, "stage": gone}):
        answer = cast.session.put(address, body)
        assert (answer.status, answer.body["message"]) == (400, "Choose a reason for loss.")
    for many in ({**ids, "lostReason": None}, {**ids, "updateType": "clear", "lostReason": None}):
        assert cast.key.put("/lead", many).status == 400
    assert cast.key.get(address).data["lostReason"]["_id"] == reason
    assert cast.key.put(address, {"stage": gone}).data["lostReason"]["_id"] == reason
    assert cast.key.put(f"/lead/{old['_id']}", {"lostReason": None, "formData": {"value": 3}}).status == 200
    assert cast.key.put(address, {"lostReason": None, "formData": {"status": "new"}}).data["lostReason"] is None
    cast.key.put("/settings", {"lostReasonRequired": False})
    assert cast.key.put(address, {"formData": {"status": "lost"}, "lostReason": reason}).status == 200
    assert cast.key.put(address, {"lostReason": None}).data["lostReason"] is None


@pytest.mark.parametrize("deleted", [True, False])
def test_an_undo_restores_the_loss_without_a_deleted_reason(cast: Cast, reason: str, *, deleted: bool) -> None:
    stages = stage_ids(make_pipeline(cast))
    lead = make(cast, 1, stage=stages["Gone"], lostReason=reason)
    address = f"/lead/{lead['_id']}"
    job = cast.key.put("/lead", {"ids": [lead["_id"]], "stage": stages["Asked"]}).body["bulkJob"]
    if deleted:
        assert cast.key.delete("/lost-reason", {"ids": [reason]}).status == 200
    undone = done(cast, cast.key.post(f"/bulk-job/{job}/undo").data["_id"])
    assert (undone["status"], undone["report"]["kept"].get(lead["_id"])) == (
        "completed",
        ["lostReason"] if deleted else None,
    )
    found = cast.key.get(address).data
    assert (found["status"], found["stage"]["_id"]) == ("lost", stages["Gone"])
    assert (found["lostReason"] is None) is deleted
