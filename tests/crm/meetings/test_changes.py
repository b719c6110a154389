"""Changes and cancellations of meetings, and conflicts with others."""

from __future__ import annotations

from typing import Any

from accounts.models import Member
from core.models import Event
from crm.models import Contact, Lead
from tests.crm.meetings.helpers import GOOD, MISSING, START, events, new_meeting
from tests.kit.cast import Cast
from tests.kit.factories import LeadFactory


def people(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["name"], one["email"]) for one in found["attendees"]]


def test_what_is_not_given_stays(cast: Cast, ann: Contact) -> None:
    made = new_meeting(cast, contact=ann.pk, timezone="Europe/Berlin", attendees=[{"contact": ann.pk}], remindMinutes=5)
    place = f"/meeting/{made['_id']}"
    assert cast.key.put(place, {}).data == made
    assert cast.key.put(place, {"title": "Demo", "startsAt": START, "attendees": [{"contact": ann.pk}]}).data == made
    assert [kind for kind, _ in events(cast)] == ["meeting.created"], (
        "nothing is different, so that there is nothing to tell"
    )
    moved = cast.key.put(place, {"startsAt": "2090-06-01T10:00"}).data
    assert (moved["startsAt"], moved["endsAt"], moved["sequence"]) == (
        "2090-06-01T08:00:00.000Z",
        "2090-06-01T09:00:00.000Z",
        1,
    )
    longer = cast.key.put(place, {"durationMinutes": 90, "contact": None, "remindMinutes": None}).data
    assert (longer["startsAt"], longer["durationMinutes"], longer["contact"], longer["remindMinutes"]) == (
        moved["startsAt"],
        90,
        None,
        None,
    )
    assert cast.key.put(place, {"endsAt": "2090-06-01T10:15"}).data["durationMinutes"] == 15
    other = cast.key.put(place, {"timezone": "UTC"}).data
    assert (other["startsAt"], other["startsAtLocal"]) == (moved["startsAt"], "2090-06-01T08:00:00+00:00")
    kind, payload = events(cast)[1]
    assert (kind, payload["startsAt"], payload["changes"]["endsAt"]) == (
        *("meeting.updated", "2090-06-01T08:00:00.000Z"),
        {"from": "2090-03-09T15:00:00.000Z", "to": "2090-06-01T09:00:00.000Z"},
    )
    assert len(events(cast)) == 5


def test_attendees_are_replaced_and_may_stay_whatever_became_of_them(cast: Cast, ann: Contact, sella: Member) -> None:
    made = new_meeting(cast, attendees=[{"contact": ann.pk}, {"member": sella.pk}])
    with cast.scope():
        Contact.objects.filter(pk=ann.pk).update(is_deleted=True)
        Member.objects.filter(pk=sella.pk).update(status=Member.Status.REMOVED)
    place, kept = f"/meeting/{made['_id']}", [{"contact": ann.pk}, {"member": sella.pk}]
    found = cast.key.put(place, {"attendees": [*kept, {"email": "bob@example.net", "name": "Bob"}]}).data
    assert people(found) == [("Ann Lee", "ann@example.org"), ("Sella", "sella@example.com"), ("Bob", "bob@example.net")]
    assert [one["_id"] for one in found["attendees"][:2]] == [one["_id"] for one in made["attendees"]]
    assert events(cast)[-1][1]["changes"] == {"attendees": {"added": ["bob@example.net"], "removed": []}}
    renamed = cast.key.put(
        place, {"attendees": [{"email": "BOB@example.net", "name": "Robert"}, {"contact": ann.pk}]}
    ).data
    assert people(renamed) == [("Ann Lee", "ann@example.org"), ("Robert", "bob@example.net")]
    assert cast.key.put(place, {"attendees": kept}).status == 400, "who is no member any more is not asked again"
    assert cast.key.put(place, {"attendees": []}).data["attendees"] == []


def test_conflicts_are_answered_with_a_warning(cast: Cast, outsiders: Cast, sella: Member) -> None:
    new_meeting(outsiders)
    first = cast.key.post("/meeting", {**GOOD, "title": "First", "durationMinutes": 60})
    assert "warning" not in first.body
    beside = {"title": "Beside", "organizer": sella.pk, "durationMinutes": 60}
    for start in ("2090-03-09T15:00Z", "2090-03-09T13:00Z"):
        assert (
            "warning"
            not in cast.key.post(
                "/meeting", {**beside, "startsAt": start, "attendees": [{"member": cast.owner.pk}]}
            ).body
        )
    cast.key.delete("/meeting", {"selectAll": True}, filters={"title": "Beside"})
    assert "warning" not in cast.key.post("/meeting", {**beside, "startsAt": START}).body, "other people"
    overlapping = cast.key.post(
        "/meeting",
        {**GOOD, "startsAt": "2090-03-09T14:59Z", "timezone": "Europe/Berlin", "attendees": [{"member": sella.pk}]},
    )
    assert (overlapping.status, overlapping.body["success"]) == (201, True)
    assert overlapping.body["warning"] == (
        f"{cast.owner.name} has another meeting then: First, 9 Mar 2090, 14:00 – 15:00 UTC; "
        "Sella has another meeting then: Beside, 9 Mar 2090, 14:00 – 15:00 UTC"
    )
    changed = cast.key.put(f"/meeting/{first.data['_id']}", {"attendees": [{"member": sella.pk}]})
    assert changed.body["warning"] == (
        "Sella has another meeting then: Beside, 9 Mar 2090, 14:00 – 15:00 UTC; "
        f"{', '.join(sorted([cast.owner.name, 'Sella']))} have another meeting then: x, 9 Mar 2090, 15:59 – 16:29 Europe/Berlin"  # noqa: E501
    )
    moved = cast.key.put(f"/meeting/{first.data['_id']}", {"startsAt": "2090-03-09T20:00Z"})
    assert "warning" not in moved.body
    for n in range(12):
        last = cast.key.post(
            "/meeting", {"title": f"Many {n}", "startsAt": "2090-04-01T00:00Z", "endsAt": "2090-04-08T00:00Z"}
        )
    assert last.body["warning"].count("another meeting then") == 10
    assert last.body["warning"].endswith("; and more")


def test_cancelled_meetings_stay(cast: Cast, outsiders: Cast) -> None:
    first, second, third = (new_meeting(cast, title=name)["_id"] for name in ("One", "Two", "Three"))
    foreign = new_meeting(outsiders)["_id"]
    answer = cast.key.delete("/meeting", {"ids": [first, foreign], "automation": "skip"})
    assert (answer.status, answer.data, answer.body["message"]) == (200, {"deletedCount": 1}, "Meetings cancelled.")
    found = cast.key.get(f"/meeting/{first}").data
    assert (found["status"], found["sequence"]) == ("cancelled", 1)
    assert events(cast)[-1] == (
        "meeting.cancelled",
        {
            "lead": None,
            "contact": None,
            "title": "One",
            "startsAt": "2090-03-09T14:00:00.000Z",
            "endsAt": "2090-03-09T15:00:00.000Z",
        },
    )
    with cast.scope():
        assert Event.objects.get(kind="meeting.cancelled").automation is False
    refused = cast.key.put(f"/meeting/{first}", {"title": "Again"})
    assert (refused.status, refused.body["message"]) == (400, "This can't be done.")
    for body in ({"ids": [first]}, {"ids": [foreign]}, {"ids": [MISSING]}):
        missing = cast.key.delete("/meeting", body)
        assert (missing.status, missing.body["message"]) == (404, "Not found. It may have been deleted."), body
    for body in ({}, {"ids": []}, {"ids": "x"}, {"ids": ["x"]}, {"selectAll": 1}, {"ids": [second], "shade": 1}):
        assert cast.key.delete("/meeting", body).status == 400, body
    assert cast.key.delete("/meeting", {"selectAll": True, "nids": [third]}, filters={"status": "scheduled"}).data == {
        "deletedCount": 1
    }
    assert [one["title"] for one in cast.key.get("/meeting", filters={"status": "scheduled"}).data] == ["Three"]
    assert outsiders.key.get(f"/meeting/{foreign}").data["status"] == "scheduled"


def test_a_deleted_lead_keeps_its_meetings(cast: Cast) -> None:
    with cast.scope():
        lead = LeadFactory()
    made = new_meeting(cast, lead=lead.pk)
    assert cast.key.delete("/lead", {"ids": [lead.pk]}).status == 200
    assert cast.key.put(f"/meeting/{made['_id']}", {"lead": lead.pk, "place": "Room 2"}).data["lead"]["_id"] == lead.pk
    with cast.scope():
        assert Lead.objects.get(pk=lead.pk).is_deleted
