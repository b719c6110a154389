"""POST /meeting, and what POST and PUT refuse (contract 4.4)"""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Company, Member
from crm.models import Contact, MeetingAttendee
from tests.crm.leads.helpers import member
from tests.crm.meetings.helpers import GOOD, MISSING, START, events, new_meeting
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory


def test_create_and_read(cast: Cast, ann: Contact, sella: Member) -> None:
    with cast.scope():
        lead = LeadFactory(contact=ann)
    made = new_meeting(
        cast,
        title=" First\tdemo ",
        description="one\r\ntwo",
        lead=lead.pk,
        contact=ann.pk,
        startsAt="2090-03-09T15:00",
        endsAt="2090-03-09T16:00:00+01:00",
        timezone="Europe/Berlin",
        place="Room 1",
        link="https://meet.example.com/a?b=1&c=2",
        remindMinutes=15,
        attendees=[
            {"member": sella.pk},
            {"contact": ann.pk},
            {"email": "Bob@example.net", "name": "Bob"},
            {"email": "bob@EXAMPLE.net"},
        ],
    )
    owner = {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    contact = {"_id": ann.pk, "name": "Ann Lee", "email": "Ann@Example.org", "contactNumber": None, "isDeleted": False}
    ids = [one.pop("_id") for one in made["attendees"]]
    assert made == {
        "_id": made["_id"],
        "title": "First demo",
        "description": "one\ntwo",
        "lead": {"_id": lead.pk, "status": "new", "contact": contact},
        "contact": contact,
        "organizer": owner,
        "attendees": [
            {"name": "Sella", "email": "sella@example.com", "member": sella.pk, "contact": None, "answer": ""},
            {"name": "Ann Lee", "email": "ann@example.org", "member": None, "contact": ann.pk, "answer": ""},
            {"name": "Bob", "email": "bob@example.net", "member": None, "contact": None, "answer": ""},
        ],
        "startsAt": "2090-03-09T14:00:00.000Z",
        "endsAt": "2090-03-09T15:00:00.000Z",
        "durationMinutes": 60,
        "timezone": "Europe/Berlin",
        "startsAtLocal": "2090-03-09T15:00:00+01:00",
        "endsAtLocal": "2090-03-09T16:00:00+01:00",
        "place": "Room 1",
        "link": "https://meet.example.com/a?b=1&c=2",
        "kind": "online",
        "videoProvider": "",
        "videoError": "",
        "status": "scheduled",
        "result": "",
        "remindMinutes": 15,
        "remindedAt": None,
        "sequence": 0,
        "createdBy": owner,
        "updatedBy": owner,
        "createdAt": made["createdAt"],
        "updatedAt": made["updatedAt"],
    }
    assert len(set(ids)) == 3
    read = cast.key.get(f"/meeting/{made['_id']}").data
    assert [one.pop("_id") for one in read["attendees"]] == ids
    assert read == made
    assert events(cast) == [
        (
            "meeting.created",
            {
                "lead": lead.pk,
                "contact": ann.pk,
                "title": "First demo",
                "startsAt": "2090-03-09T14:00:00.000Z",
                "endsAt": "2090-03-09T15:00:00.000Z",
            },
        )
    ]


def test_who_organizes(cast: Cast, sella: Member, settings: Any) -> None:
    settings.STRICT_KEYS = False  # the key outlives its maker
    assert new_meeting(cast, organizer=sella.pk, attendees=[{"member": sella.pk}])["organizer"]["_id"] == sella.pk
    with cast.scope():
        assert not MeetingAttendee.objects.exists(), "who organizes comes anyway"
        Member.objects.filter(pk=cast.owner.pk).update(status=Member.Status.REMOVED)
        heir = member(Member.Status.OWNER)
    assert new_meeting(cast)["organizer"]["_id"] == heir.pk


@pytest.mark.parametrize(
    ("zone", "start", "end", "expected"),
    [
        (
            "America/New_York",
            "2026-07-01T09:00",
            "2026-07-01T10:30",
            ("2026-07-01T13:00:00.000Z", "2026-07-01T14:30:00.000Z", 90),
        ),
        (
            "Europe/Berlin",
            "2026-10-25T02:30",
            "2026-10-25T03:30",
            ("2026-10-25T00:30:00.000Z", "2026-10-25T02:30:00.000Z", 120),
        ),
        (
            "Europe/Berlin",
            "2026-03-29T01:30",
            "2026-03-29T03:30",
            ("2026-03-29T00:30:00.000Z", "2026-03-29T01:30:00.000Z", 60),
        ),
        (
            "Asia/Kolkata",
            "2026-07-01T09:00-02:00",
            "2026-07-01T17:00",
            ("2026-07-01T11:00:00.000Z", "2026-07-01T11:30:00.000Z", 30),
        ),
        (
            "Pacific/Apia",
            "2011-12-31T09:00",
            "2011-12-31T09:00:30",
            ("2011-12-30T19:00:00.000Z", "2011-12-30T19:00:30.000Z", 1),
        ),
    ],
)
def test_local_times_are_those_of_the_zones_clocks(
    cast: Cast, zone: str, start: str, end: str, expected: tuple[str, str, int]
) -> None:
    made = new_meeting(cast, timezone=zone, startsAt=start, endsAt=end)
    assert (made["startsAt"], made["endsAt"], made["durationMinutes"]) == expected


def test_the_companys_time_zone_is_the_default(cast: Cast) -> None:
    Company.objects.filter(pk=cast.company.pk).update(timezone="Asia/Tokyo")
    made = new_meeting(cast, startsAt="2090-03-09T09:00")
    assert (made["timezone"], made["startsAt"], made["startsAtLocal"]) == (
        *("Asia/Tokyo", "2090-03-09T00:00:00.000Z"),
        "2090-03-09T09:00:00+09:00",
    )


def test_a_contact_who_is_not_the_leads_is_refused(cast: Cast, ann: Contact) -> None:
    with cast.scope():
        lead = LeadFactory()
    body = {**GOOD, "lead": lead.pk}
    refused = cast.key.post("/meeting", {**body, "contact": ann.pk})
    assert (refused.status, refused.body["warning"].partition(":")[0]) == (400, "contact")
    made = cast.key.post("/meeting", {**body, "contact": lead.contact_id})
    assert made.status == 201
    moved = cast.key.put(f"/meeting/{made.data['_id']}", {"contact": ann.pk})
    assert (moved.status, moved.body["warning"].partition(":")[0]) == (400, "contact")
    alone = cast.key.put(f"/meeting/{made.data['_id']}", {"lead": None, "contact": ann.pk})
    assert (alone.status, alone.data["contact"]["_id"]) == (200, ann.pk)


def test_what_is_refused(cast: Cast, outsiders: Cast, ann: Contact) -> None:
    with cast.scope():
        blocked, silent, gone = (
            member(Member.Status.BLOCKED),
            ContactFactory(email=None),
            ContactFactory(is_deleted=True),
        )
        deleted = LeadFactory(is_deleted=True)
    with outsiders.scope():
        foreign, lead = ContactFactory(), LeadFactory()
    made = new_meeting(cast, attendees=[{"contact": ann.pk}])
    skipped = {"timezone": "Europe/Berlin", "startsAt": "2026-03-29T02:30"}
    refusals: list[tuple[dict[str, Any], int, str]] = [
        ({"timezone": "Mars/Base"}, 400, "Choose a time zone from the list."),
        ({"timezone": "../../etc/passwd"}, 400, "Choose a time zone from the list."),
        (skipped, 400, "Invalid format for field startsAt: 2026-03-29T02:30"),
        (
            {"startsAt": "2011-12-30T09:00", "timezone": "Pacific/Apia"},
            400,
            "Invalid format for field startsAt: 2011-12-30T09:00",
        ),
        ({"startsAt": "soon"}, 400, "Invalid format for field startsAt: soon"),
        ({"startsAt": "2090-13-01T00:00Z"}, 400, "Invalid format for field startsAt: 2090-13-01T00:00Z"),
        ({"endsAt": "2090-03-09"}, 400, "Invalid format for field endsAt: 2090-03-09"),
        ({"endsAt": "2090-03-09T15:00Z", "durationMinutes": 60}, 400, "Some values are missing or wrong."),
        ({"endsAt": START}, 400, "Some values are missing or wrong."),
        ({"endsAt": "2090-03-09T13:59:59Z"}, 400, "Some values are missing or wrong."),
        ({"endsAt": "2090-03-16T14:00:01Z"}, 400, "Some values are missing or wrong."),
        (
            {"durationMinutes": 10_081},
            400,
            "Validation error: durationMinutes: enter a number of at most 10080",
        ),
        (
            {"durationMinutes": 0},
            400,
            "Validation error: durationMinutes: enter a number of at least 1",
        ),
        ({"title": "\u0007\u2028"}, 400, "Some values are missing or wrong."),
        ({"title": "x" * 301}, 400, "Validation error: title: enter at most 300 characters"),
        ({"link": "javascript:alert(1)"}, 400, "Invalid format for field link: javascript:alert(1)"),
        ({"lead": MISSING}, 400, "Lead not found."),
        ({"lead": lead.pk}, 400, "Lead not found."),
        ({"lead": deleted.pk}, 400, "Lead not found."),
        ({"contact": foreign.pk}, 400, "Contact not found."),
        ({"contact": gone.pk}, 400, "Contact not found."),
        (
            {"remindMinutes": 40_321},
            400,
            "Validation error: remindMinutes: enter a number of at most 40320",
        ),
        ({"attendees": [{"member": outsiders.owner.pk}]}, 404, "Member not found."),
        ({"attendees": [{"member": blocked.pk}]}, 400, "This member has not accepted the invite, or is blocked."),
        ({"attendees": [{"contact": foreign.pk}]}, 400, "Contact not found."),
        ({"attendees": [{"contact": gone.pk}]}, 400, "Contact not found."),
        ({"attendees": [{"contact": silent.pk}]}, 400, "Enter the missing details of the contact."),
        (
            {"attendees": [{"email": "a@b.example\r\nBcc: x@y.example"}]},
            400,
            "Invalid format for field attendees.0.email",
        ),
        (
            {"attendees": [{"email": "a@b.example"}, {"email": "nobody"}]},
            400,
            "Invalid format for field attendees.1.email: nobody",
        ),
        ({"attendees": [{}]}, 400, "Some values are missing or wrong."),
        ({"attendees": [{"email": "a@b.example", "contact": ann.pk}]}, 400, "Some values are missing or wrong."),
        ({"attendees": [{"contact": ann.pk, "name": "Annie"}]}, 400, "Some values are missing or wrong."),
        ({"attendees": [{"email": f"a{n}@b.example"} for n in range(201)]}, 400, "Validation error: attendees"),
        ({"attendees": [{"email": "a@b.example", "shade": 1}]}, 400, "Validation error: attendees.0.shade"),
        ({"attendees": {"email": "a@b.example"}}, 400, "Invalid format for field attendees"),
        ({"attendees": [None]}, 400, "Validation error: attendees"),
    ]
    before = cast.key.get(f"/meeting/{made['_id']}").data
    for body, status, message in refusals:
        for method, path, base in (
            ("POST", "/meeting", GOOD),
            ("PUT", f"/meeting/{made['_id']}", {"place": "elsewhere"}),
        ):
            given = {**base, **body}
            if "endsAt" in body and "durationMinutes" not in body:
                given.pop("durationMinutes", None)
            answer = cast.key.call(method, path, given)
            assert answer.status == status, (given, answer.body)
            assert answer.body["message"].lower().startswith(message.lower()), (given, answer.body)
    for wrong in (
        {**GOOD, "shade": 1},
        {**GOOD, "organizer": MISSING},
        {"title": "x", "startsAt": START},
        {"title": "x"},
        {**GOOD, "title": None},
    ):
        assert cast.key.post("/meeting", wrong).status in (400, 404), wrong
    for wrong in ({"attendees": None}, {"title": ""}):
        assert cast.key.put(f"/meeting/{made['_id']}", wrong).status == 400, wrong
    fixed = cast.key.put(f"/meeting/{made['_id']}", {"organizer": blocked.pk, "status": "cancelled"})
    assert (fixed.status, [one["field"] for one in fixed.body["errors"]]) == (400, ["organizer", "status"])
    assert cast.key.get("/meeting").data == [before], "nothing of a refused change is kept"
