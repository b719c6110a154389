"""POST /lead-activity and PATCH /lead-activity/:id/notes (contract 4.4)"""

from __future__ import annotations

from typing import Any

from core.events import deliver
from core.models import Event
from tests.crm.activities.activity_helpers import MISSING, PATH, ids, told
from tests.crm.leads.helpers import make
from tests.kit.cast import SESSION, Caller, Cast, session_headers
from tests.kit.factories import MemberFactory, RoleFactory


def make_reader(cast: Cast, **methods: bool) -> Caller:
    """A session of a member who may do this with lead activities."""
    with cast.scope():
        role = RoleFactory(permission={"lead-activity": methods})
        return Caller(SESSION, session_headers(MemberFactory(status="accepted", role=role)))


def test_notes(cast: Cast, outsiders: Cast) -> None:
    lead = make(cast)
    made = cast.session.post(PATH, {"lead": lead["_id"], "notes": "called back\nnice"})
    assert (made.status, made.body["message"]) == (201, "Note created.")
    assert (made.data["kind"], made.data["notes"], made.data["details"]) == ("note", "called back\nnice", {})
    assert (made.data["lead"]["_id"], made.data["contact"]["_id"]) == (lead["_id"], lead["contact"]["_id"])
    assert made.data["member"]["_id"] == cast.owner.pk
    with cast.scope():
        event = Event.objects.get(kind="note.created")
    assert (event.object_id, event.payload["lead"], event.payload["notes"]) == (
        made.data["_id"],
        lead["_id"],
        "called back\nnice",
    )
    of_contact = cast.key.post(PATH, {"contact": lead["contact"]["_id"], "notes": "prefers mail"})
    assert (of_contact.status, of_contact.data["lead"]) == (201, None)
    assert told(cast, lead=lead["_id"], kind="note") == [("note", {})]
    foreign = make(outsiders)
    deleted = make(cast, 2)
    cast.key.delete("/lead", {"ids": [deleted["_id"]]})
    cases: list[tuple[dict[str, Any], str]] = [
        ({"lead": MISSING, "notes": "x"}, "Lead not found."),
        ({"lead": foreign["_id"], "notes": "x"}, "Lead not found."),
        ({"lead": deleted["_id"], "notes": "x"}, "Lead not found."),
        ({"contact": foreign["contact"]["_id"], "notes": "x"}, "Contact not found."),
        ({"notes": "x"}, "Some values are missing or wrong."),
        ({"lead": lead["_id"], "contact": lead["contact"]["_id"], "notes": "x"}, "Some values are missing or wrong."),
    ]
    for body, message in cases:
        answer = cast.key.post(PATH, body)
        assert (answer.status, answer.body["message"]) == (400, message), body
    shapes: list[dict[str, Any]] = [
        {},
        {"lead": lead["_id"]},
        {"lead": lead["_id"], "notes": ""},
        {"lead": lead["_id"], "notes": " "},
    ]
    shapes += [{"lead": lead["_id"], "notes": bad} for bad in (3, None, ["x"], "x" * 20_001)]
    shapes += [{"lead": "x", "notes": "x"}, {"lead": lead["_id"], "notes": "x", "kind": "call"}]
    for body in shapes:
        assert cast.key.post(PATH, body).status == 400, body
    assert told(cast, kind="note") == [("note", {})], "that of the contact is in its timeline"
    assert cast.key.get(f"{PATH}/{of_contact.data['_id']}").data == of_contact.data


def test_notes_of_any_activity_can_be_changed(cast: Cast, outsiders: Cast) -> None:
    lead = make(cast)
    deliver()
    created = cast.key.get(PATH).data[0]
    note = cast.key.post(PATH, {"lead": lead["_id"], "notes": "first"}).data
    changed = cast.session.call("PATCH", f"{PATH}/{note['_id']}/notes", {"notes": "second"})
    assert (changed.status, changed.body["message"], changed.data["notes"]) == (200, "Notes updated.", "second")
    assert changed.data | {"notes": "first", "updatedAt": note["updatedAt"]} == note
    assert changed.data["updatedAt"] > note["updatedAt"]
    for text in ("by the fair", ""):
        assert cast.key.call("PATCH", f"{PATH}/{created['_id']}/notes", {"notes": text}).data["notes"] == text
    emptied = cast.key.call("PATCH", f"{PATH}/{note['_id']}/notes", {"notes": " "})
    assert (emptied.status, emptied.body["message"]) == (400, "Some values are missing or wrong.")
    for bad in ({}, {"notes": None}, {"notes": 1}, {"notes": "x", "shade": "red"}):
        assert cast.key.call("PATCH", f"{PATH}/{note['_id']}/notes", bad).status == 400
    assert cast.key.get(f"{PATH}/{note['_id']}").data["notes"] == "second"
    for caller, id in ((cast.key, MISSING), (outsiders.key, note["_id"])):
        answers = [caller.get(f"{PATH}/{id}"), caller.call("PATCH", f"{PATH}/{id}/notes", {"notes": "x"})]
        assert [(one.status, one.body["message"]) for one in answers] == [(404, "Activity not found.")] * 2
    assert cast.key.get(f"{PATH}/xyz").status == 400
    assert cast.key.call("PATCH", f"{PATH}/xyz/notes", {"notes": "x"}).status == 400


def test_rights(cast: Cast) -> None:
    note = {"lead": make(cast)["_id"], "notes": "x"}
    id = cast.key.post(PATH, note).data["_id"]
    reader = make_reader(cast, GET=True)
    assert ids(reader.get(PATH)) == [id]
    assert reader.post(PATH, note).status == 403
    assert reader.call("PATCH", f"{PATH}/{id}/notes", {"notes": "y"}).status == 403
    writer = make_reader(cast, POST=True, PUT=True)
    assert writer.get(PATH).status == 403
    assert writer.post(PATH, note).status == 201
    assert writer.call("PATCH", f"{PATH}/{id}/notes", {"notes": "y"}).status == 200
    assert cast.narrow_session.get(PATH).status == 403
