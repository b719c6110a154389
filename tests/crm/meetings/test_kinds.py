"""Video calls, meetings in person and calendars: views over the same meetings, each with a permission of its own."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Member
from crm.models import Meeting
from tests.crm.meetings.helpers import MISSING, START, new_meeting
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory

TEMPLATE = "https://meet.example.org/{meeting}-{random}"
ALL = ("GET", "POST", "PUT", "DELETE")
CALL = {"title": "Call", "startsAt": START, "durationMinutes": 30}


def allow(*modules: str) -> dict[str, Any]:
    return {module: dict.fromkeys(ALL, True) for module in modules}


def set_template(cast: Cast, template: str = TEMPLATE, provider: str = "link-template") -> Any:
    return cast.key.put("/videocall/settings", {"linkTemplate": template, "provider": provider})


def ids_of(answer: Any) -> list[str]:
    assert answer.status == 200, answer.body
    return [one["_id"] for one in answer.data]


def test_calls_get_links_by_the_companys_template(cast: Cast) -> None:
    refused = cast.key.post("/videocall", CALL)
    assert (refused.status, "videoProvider" in refused.body["warning"]) == (400, True)
    assert set_template(cast).status == 200
    made, other = cast.key.post("/videocall", CALL), cast.key.post("/videocall", CALL)
    assert made.status == 201, made.body
    room = made.data["link"]
    assert room.startswith(f"https://meet.example.org/{made.data['_id']}-")
    assert room != other.data["link"]
    assert (made.data["kind"], made.data["videoProvider"]) == ("online", "link-template")
    moved = cast.key.put(f"/videocall/{made.data['_id']}", {"startsAt": "2090-03-10T14:00:00Z"})
    assert (moved.status, moved.data["link"]) == (200, room)
    by_hand = cast.key.put(f"/videocall/{made.data['_id']}", {"link": "https://other.example.org/a"})
    assert (by_hand.data["link"], by_hand.data["videoProvider"]) == ("https://other.example.org/a", "")


@pytest.mark.parametrize(
    "template",
    [
        "https://meet.example.org/same-for-all",
        "http://meet.example.org/{random}",
        "javascript:alert(1)//{random}",
        "https://{random}.example.org/",
        "https://ann:secret@meet.example.org/{random}",
        "https://meet.example.org/{title}",
        "https://meet.example.org/{random",
        "https://meet.example.org/{random.__class__}",
        "https://meet.example.org/ {random}",
        "https://meet.example.org/" + "x" * 300 + "{random}",
    ],
)
def test_templates_that_make_no_address_are_refused(cast: Cast, template: str) -> None:
    answer = set_template(cast, template)
    assert answer.status == 400, answer.body
    assert "linkTemplate" in answer.body["message"] + answer.body["warning"]
    assert cast.key.get("/videocall/settings").data["linkTemplate"] == ""


def test_a_provider_and_a_link_are_not_given_together(cast: Cast) -> None:
    set_template(cast)
    both = cast.key.post("/meeting", {**CALL, "link": "https://a.example.org/x", "videoProvider": "link-template"})
    unknown = cast.key.post("/meeting", {**CALL, "videoProvider": "carrier-pigeon"})
    assert (both.status, unknown.status) == (400, 400)
    with cast.scope():
        assert not Meeting.objects.exists()


def test_each_view_shows_its_kind(cast: Cast) -> None:
    online = new_meeting(cast, link="https://meet.example.org/a")["_id"]
    offline = new_meeting(cast, place="Harbour Street 1")["_id"]
    assert ids_of(cast.key.get("/videocall")) == [online]
    assert ids_of(cast.key.get("/offline-meeting")) == [offline]
    for path, foreign in (("/videocall", offline), ("/offline-meeting", online)):
        for method, tail, body in (("GET", "", None), ("PUT", "", {"title": "Mine"}), ("GET", "/ics", None)):
            assert cast.key.call(method, f"{path}/{foreign}{tail}", body).status == 404
        assert cast.key.delete(path, {"ids": [foreign]}).status == 404
    with cast.scope():
        assert set(Meeting.objects.values_list("title", "status")) == {("Demo", "scheduled")}


def test_a_meeting_in_person_has_a_place(cast: Cast) -> None:
    assert cast.key.post("/offline-meeting", CALL).status == 400
    assert cast.key.post("/offline-meeting", {**CALL, "place": "Room 4", "link": "https://a.example.org"}).status == 400
    made = cast.key.post("/offline-meeting", {**CALL, "place": "Room 4"})
    assert (made.status, made.data["kind"], made.data["place"]) == (201, "offline", "Room 4")


def test_own_calls_are_nobody_elses(sella: Member, db: None) -> None:
    cast = make_cast(allow("my-videocall"))
    mine = cast.narrow_session
    link = {"link": "https://meet.example.org/a"}
    foreign = new_meeting(cast, **link)["_id"]
    asked_to = new_meeting(cast, **link, attendees=[{"member": cast.narrow.pk}])["_id"]
    own = mine.post("/my-videocall", {**CALL, **link})
    assert (own.status, own.data["organizer"]["_id"]) == (201, cast.narrow.pk)
    assert set(ids_of(mine.get("/my-videocall"))) == {own.data["_id"], asked_to}
    hidden = mine.get(f"/my-videocall/{foreign}")
    assert (hidden.status, hidden.body) == (404, mine.get(f"/my-videocall/{MISSING}").body)
    assert mine.put(f"/my-videocall/{foreign}", {"title": "x"}).status == 404
    assert mine.put(f"/my-videocall/{asked_to}", {"title": "x"}).status == 403
    assert mine.put(f"/my-videocall/{own.data['_id']}", {"title": "Mine"}).data["title"] == "Mine"
    assert mine.post("/my-videocall", {**CALL, **link, "organizer": cast.owner.pk}).status == 400
    every = mine.delete("/my-videocall", {"selectAll": True})
    assert (every.status, every.data["deletedCount"]) == (200, 1)
    for path in ("/videocall", "/calendar", "/offline-meeting", "/meeting", "/my-calendar"):
        assert mine.get(path).status == 403, path


def test_the_own_calendar_shows_the_own_things(db: None) -> None:
    cast = make_cast(allow("my-calendar"))
    span = {"from": "2090-03-09", "to": "2090-03-11"}
    new_meeting(cast)
    asked_to = new_meeting(cast, attendees=[{"member": cast.narrow.pk}])["_id"]
    with cast.scope():
        contact = ContactFactory()
    lead = cast.key.post("/lead", {"contact": contact.pk, "formData": {}}).data["_id"]
    due = {"lead": lead, "title": "Call back", "dueAt": "2090-03-10T09:00:00Z"}
    mine = cast.key.post("/lead-activity/follow-up", {**due, "assignee": cast.narrow.pk}).data["_id"]
    others = cast.key.post("/lead-activity/follow-up", {**due, "assignee": cast.owner.pk}).data["_id"]
    shown = cast.narrow_session.get("/my-calendar", **span)
    assert [(one["kind"], one["_id"]) for one in shown.data["entries"]] == [("meeting", asked_to), ("followUp", mine)]
    assert cast.narrow_session.get("/calendar", **span).status == 403
    every = cast.key.get("/calendar", **span).data
    assert (len(every["entries"]), every["isCut"]) == (4, False)
    assert others in [one["_id"] for one in every["entries"]]
    of_one = cast.key.get("/calendar", **span, member=cast.narrow.pk, kinds="meeting").data["entries"]
    assert [one["_id"] for one in of_one] == [asked_to]
    team = cast.key.post("/team", {"name": "Sales", "members": [cast.narrow.pk]}).data["_id"]
    assert [one["_id"] for one in cast.key.get("/calendar", **span, team=team).data["entries"]] == [asked_to, mine]


def test_a_calendar_refuses_what_it_cannot_show(cast: Cast, outsiders: Cast) -> None:
    with outsiders.scope():
        stranger = outsiders.owner.pk
    for query, status in (
        ({"member": stranger}, 404),
        ({"member": MISSING}, 404),
        ({"member": "xyz"}, 400),
        ({"team": MISSING}, 400),
        ({"from": "2090-03-09", "to": "2090-03-09"}, 400),
        ({"from": "2090-03-09", "to": "2091-03-09"}, 400),
        ({"from": "soon"}, 400),
        ({"from": "0001-01-01"}, 400),
        ({"kinds": "party"}, 400),
        ({"colour": "red"}, 400),
    ):
        assert cast.key.get("/calendar", **query).status == status, query


def test_another_companys_calls_look_missing(cast: Cast, outsiders: Cast) -> None:
    online = new_meeting(outsiders, link="https://meet.example.org/a")["_id"]
    for path in ("/videocall", "/my-videocall", "/offline-meeting"):
        assert cast.key.get(f"{path}/{online}").body == cast.key.get(f"{path}/{MISSING}").body
        assert ids_of(cast.key.get(path)) == []
    set_template(outsiders)
    assert cast.key.get("/videocall/settings").data["linkTemplate"] == ""
