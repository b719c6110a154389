"""PUT and DELETE /calllog (contract 4.4)"""

from __future__ import annotations

from core.models import Event
from tests.crm.activities.activity_helpers import ids
from tests.crm.activities.call_helpers import MISSING, PATH, SENT, log, refused
from tests.crm.leads.helpers import make
from tests.kit.cast import Cast


def test_update(cast: Cast, outsiders: Cast) -> None:
    lead, other = make(cast, 1), make(cast, 2)
    call = log(cast, lead=lead["_id"], startedAt=SENT, notes="first")
    place = f"{PATH}/{call['_id']}"
    changed = cast.session.put(place, {"notes": "second", "duration": 30})
    assert (changed.status, changed.body["message"]) == (200, "Call updated.")
    assert changed.data == {**call, "notes": "second", "duration": 30, "updatedAt": changed.data["updatedAt"]}
    assert changed.data["updatedAt"] > call["updatedAt"]
    assert cast.key.put(place, {"notes": "second"}).data == changed.data, (
        "nothing is different, so that nothing is written"
    )
    with cast.scope():
        event = Event.objects.get(kind="calllog.updated")
    assert event.payload["changes"] == {"notes": {"from": "first", "to": "second"}, "duration": {"from": 0, "to": 30}}
    moved = cast.key.put(place, {"lead": other["_id"]}).data
    assert (moved["lead"]["_id"], moved["contact"], moved["number"]) == (
        other["_id"],
        other["contact"],
        "+491701000001",
    )
    moved = cast.key.put(place, {"contact": lead["contact"]["_id"]}).data
    assert (moved["lead"], moved["contact"]) == (None, lead["contact"])
    moved = cast.key.put(place, {"contact": None, "number": "+491701000002"}).data
    assert (moved["contact"], moved["number"]) == (other["contact"], "+491701000002")
    refused(cast.key.put(place, {"contact": None, "number": ""}), "Some values are missing or wrong.")
    refused(cast.key.put(place, {"lead": MISSING}), "Lead not found.")
    for body in ({"duration": -1}, {"number": "1"}, {"startedAt": "x"}, {"ids": []}, {"outcome": "fine"}):
        assert cast.key.put(place, body).status == 400, body
    for caller, id in ((cast.key, MISSING), (outsiders.key, call["_id"])):
        refused(caller.get(f"{PATH}/{id}"), "Call not found.")
        refused(caller.put(f"{PATH}/{id}", {"notes": "x"}), "Call not found.")
    assert cast.key.get(f"{PATH}/xyz").status == 400
    assert cast.key.put(f"{PATH}/xyz", {}).status == 400


def test_a_call_stays_when_its_lead_is_deleted(cast: Cast) -> None:
    lead = make(cast)
    call = log(cast, lead=lead["_id"])
    cast.key.delete("/lead", {"ids": [lead["_id"]]})
    changed = cast.key.put(f"{PATH}/{call['_id']}", {"notes": "still here"}).data
    assert (changed["lead"]["_id"], changed["notes"]) == (lead["_id"], "still here")


def test_delete(cast: Cast, outsiders: Cast) -> None:
    lead, foreign = make(cast), make(outsiders)
    calls = [log(cast, lead=lead["_id"], outcome=outcome)["_id"] for outcome in ("busy", "busy", "failed", "connected")]
    theirs = log(outsiders, lead=foreign["_id"])["_id"]
    answer = cast.session.delete(PATH, {"ids": [calls[0], theirs]})
    assert (answer.status, answer.body["message"], answer.data) == (200, "Calls deleted.", {"deletedCount": 1})
    assert cast.key.delete(
        PATH, {"selectAll": True, "nids": [calls[3]]}, filters={"outcome": ["busy", "connected"]}
    ).data == {"deletedCount": 1}
    assert sorted(ids(cast.key.get(PATH))) == sorted(calls[2:])
    for body in ({"ids": [theirs]}, {"ids": [MISSING]}):
        refused(cast.key.delete(PATH, body), "Call not found.")
    for bad in ({}, {"ids": ["x"]}, {"ids": "x"}, {"selectAll": "yes"}, {"id": calls[2]}):
        assert cast.key.delete(PATH, bad).status == 400
    assert ids(outsiders.key.get(PATH)) == [theirs]
    with cast.scope():
        assert set(Event.objects.filter(kind="calllog.deleted").values_list("object_id", flat=True)) == set(calls[:2])
    assert cast.key.delete(PATH, {"selectAll": True}).data == {"deletedCount": 2}
