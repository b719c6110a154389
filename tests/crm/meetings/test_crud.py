"""/meeting (contract 4.4)"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Company, Member
from core.models import Event
from core.tenancy import as_owner
from crm.models import Contact, Lead, Meeting, MeetingAttendee
from tests.crm.leads.helpers import member
from tests.crm.meetings.helpers import START, event_of, new_meeting
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory

MISSING = "0" * 24
GOOD = {"title": "x", "startsAt": START, "durationMinutes": 30}


@pytest.fixture
def ann(cast: Cast) -> Contact:
    with cast.scope():
        return ContactFactory(name="Ann Lee", email="Ann@Example.org")


@pytest.fixture
def sella(cast: Cast) -> Member:
    with cast.scope():
        return member(user__name="Sella", user__email="sella@example.com")


def events(cast: Cast) -> list[tuple[str, Any]]:
    with cast.scope():
        return list(Event.objects.filter(kind__startswith="meeting.").order_by("id").values_list("kind", "payload"))


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
            {"name": "Sella", "email": "sella@example.com", "member": sella.pk, "contact": None},
            {"name": "Ann Lee", "email": "ann@example.org", "member": None, "contact": ann.pk},
            {"name": "Bob", "email": "bob@example.net", "member": None, "contact": None},
        ],
        "startsAt": "2090-03-09T14:00:00.000Z",
        "endsAt": "2090-03-09T15:00:00.000Z",
        "durationMinutes": 60,
        "timezone": "Europe/Berlin",
        "startsAtLocal": "2090-03-09T15:00:00+01:00",
        "endsAtLocal": "2090-03-09T16:00:00+01:00",
        "place": "Room 1",
        "link": "https://meet.example.com/a?b=1&c=2",
        "status": "scheduled",
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
        ({"timezone": "Mars/Base"}, 400, "Invalid timezone"),
        ({"timezone": "../../etc/passwd"}, 400, "Invalid timezone"),
        (skipped, 400, "Invalid format for field startsAt: 2026-03-29T02:30"),
        (
            {"startsAt": "2011-12-30T09:00", "timezone": "Pacific/Apia"},
            400,
            "Invalid format for field startsAt: 2011-12-30T09:00",
        ),
        ({"startsAt": "soon"}, 400, "Invalid format for field startsAt: soon"),
        ({"startsAt": "2090-13-01T00:00Z"}, 400, "Invalid format for field startsAt: 2090-13-01T00:00Z"),
        ({"endsAt": "2090-03-09"}, 400, "Invalid format for field endsAt: 2090-03-09"),
        ({"endsAt": "2090-03-09T15:00Z", "durationMinutes": 60}, 400, "Invalid input"),
        ({"endsAt": START}, 400, "Invalid input"),
        ({"endsAt": "2090-03-09T13:59:59Z"}, 400, "Invalid input"),
        ({"endsAt": "2090-03-16T14:00:01Z"}, 400, "Invalid input"),
        (
            {"durationMinutes": 10_081},
            400,
            "Validation error: durationMinutes: Ensure this value is less than or equal to 10080.",
        ),
        (
            {"durationMinutes": 0},
            400,
            "Validation error: durationMinutes: Ensure this value is greater than or equal to 1.",
        ),
        ({"title": "\u0007\u2028"}, 400, "Invalid input"),
        ({"title": "x" * 301}, 400, "Validation error: title: Ensure this field has no more than 300 characters."),
        ({"link": "javascript:alert(1)"}, 400, "Invalid format for field link: javascript:alert(1)"),
        ({"lead": MISSING}, 400, "Lead not found"),
        ({"lead": lead.pk}, 400, "Lead not found"),
        ({"lead": deleted.pk}, 400, "Lead not found"),
        ({"contact": foreign.pk}, 400, "Contact not found"),
        ({"contact": gone.pk}, 400, "Contact not found"),
        (
            {"remindMinutes": 40_321},
            400,
            "Validation error: remindMinutes: Ensure this value is less than or equal to 40320.",
        ),
        ({"attendees": [{"member": outsiders.owner.pk}]}, 404, "Member not found"),
        ({"attendees": [{"member": blocked.pk}]}, 400, "The member is not accepted"),
        ({"attendees": [{"contact": foreign.pk}]}, 400, "Contact not found"),
        ({"attendees": [{"contact": gone.pk}]}, 400, "Contact not found"),
        ({"attendees": [{"contact": silent.pk}]}, 400, "Contact data is required"),
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
        ({"attendees": [{}]}, 400, "Invalid input"),
        ({"attendees": [{"email": "a@b.example", "contact": ann.pk}]}, 400, "Invalid input"),
        ({"attendees": [{"contact": ann.pk, "name": "Annie"}]}, 400, "Invalid input"),
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
    ignored = cast.key.put(f"/meeting/{made['_id']}", {"organizer": blocked.pk, "status": "cancelled"})
    assert ignored.body["warning"] == "ignored, since they cannot be written here: organizer, status"
    assert cast.key.get("/meeting").data == [before], "nothing of a refused change is kept"


def test_list_search_filter_sort_page(cast: Cast, ann: Contact, sella: Member) -> None:
    with cast.scope():
        lead = LeadFactory(contact=ann)
    early = new_meeting(
        cast, title="Early", startsAt="2090-01-01T09:00Z", lead=lead.pk, attendees=[{"member": sella.pk}]
    )["_id"]
    late = new_meeting(
        cast, title="Late", startsAt="2090-12-01T09:00Z", place="Harbour", attendees=[{"contact": ann.pk}]
    )["_id"]
    middle = new_meeting(cast, title="Middle", startsAt="2090-06-01T09:00Z", organizer=sella.pk, contact=ann.pk)["_id"]

    def titles(**query: Any) -> list[str]:
        answer = cast.key.get("/meeting", **query)
        assert answer.status == 200, answer.body
        return [one["title"] for one in answer.data]

    between = {"field": "startsAt", "operator": "between", "value": ["2090-01-01", "2090-06-01"]}
    assert titles() == ["Middle", "Late", "Early"]
    assert titles(sortBy="startsAt", sortOrder="asc") == ["Early", "Middle", "Late"]
    assert titles(sortBy="organizer.name,title", sortOrder="desc,asc") == ["Early", "Late", "Middle"], (
        "Sella comes before User"
    )
    assert titles(advancedFilters=between, sortBy="startsAt") == ["Middle", "Early"]
    assert titles(filters={"member": sella.pk}) == ["Middle", "Early"]
    assert titles(filters={"member": cast.owner.pk}) == ["Late", "Early"]
    assert titles(advancedFilters={"field": "member", "operator": "notEquals", "value": sella.pk}) == ["Late"]
    assert titles(filters={"lead": lead.pk}) == ["Early"]
    assert titles(filters={"lead.contact": ann.pk}) == ["Early"]
    assert titles(filters={"contact": ann.pk}) == ["Middle"]
    assert titles(filters={"attendees.contact": ann.pk}) == ["Late"]
    assert titles(searchBy="attendees.email", searchValue="SELLA@") == ["Early"]
    assert titles(searchValue="harb") == ["Late"]
    assert titles(ids=f"{early},{late}", nids=late) == ["Early"]
    page = cast.key.get("/meeting", cursorPagination="true", n="2", sortBy="startsAt", sortOrder="asc")
    assert ([one["_id"] for one in page.data], page.body["totalCount"]) == ([early, middle], 3)
    assert [one["_id"] for one in cast.key.get("/meeting", cursor=page.body["nextCursor"], n="2").data] == [late]
    for query in (
        {"sortBy": "attendees.email"},
        {"sortBy": "member"},
        {"filters": {"startsAt": 5}},
        {"filters": {"member": "x"}},
    ):
        assert cast.key.get("/meeting", **query).status == 400, query


def test_a_list_takes_as_many_queries_for_twenty_as_for_one(cast: Cast, ann: Contact) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            assert cast.key.get("/meeting", p="1", n="50").status == 200
        return len(found)

    new_meeting(cast, attendees=[{"contact": ann.pk}])
    queries()
    few = queries()
    for n in range(6):
        new_meeting(cast, contact=ann.pk, attendees=[{"contact": ann.pk}, {"email": f"a{n}@b.example"}])
    assert queries() == few


def walk(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The nodes of a plan, but for those that read a single meeting's attendees."""
    yield plan
    for inner in plan.get("Plans", ()):
        if inner.get("Parent Relationship") != "SubPlan":
            yield from walk(inner)


def test_the_meetings_of_a_time_come_from_their_index(cast: Cast) -> None:
    start = datetime(2090, 1, 1, tzinfo=UTC)
    with cast.scope():
        Meeting.objects.bulk_create(
            Meeting(
                title=f"{n}",
                organizer=cast.owner,
                starts_at=start + timedelta(hours=n),
                ends_at=start + timedelta(hours=n + 1),
                timezone="UTC",
                place="",
                link="",
            )
            for n in range(5000)
        )
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("ANALYZE crm_meeting, crm_meetingattendee")
    week = {"field": "startsAt", "operator": "between", "value": ["2090-03-05", "2090-03-11"]}
    with CaptureQueriesContext(connection) as queries:
        answer = cast.key.get("/meeting", p="1", n="50", sortBy="startsAt", sortOrder="asc", advancedFilters=week)
    assert (answer.body["totalCount"], answer.data[0]["startsAt"]) == (7 * 24, "2090-03-05T00:00:00.000Z")
    listed = [query["sql"] for query in queries if 'FROM "crm_meeting"' in query["sql"]]
    assert len(listed) == 2, "the page and the count"
    with cast.scope(), connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {listed[0]}")
        found = cursor.fetchone()[0]
    nodes = list(walk((json.loads(found) if isinstance(found, str) else found)[0]["Plan"]))
    assert "meeting_start" in [node.get("Index Name") for node in nodes]
    assert (
        max((child["Plan Rows"] for node in nodes if node["Node Type"] == "Sort" for child in node["Plans"]), default=0)
        <= 51
    )
    assert "Seq Scan" not in [node["Node Type"] for node in nodes if node.get("Relation Name") == "crm_meeting"]


def test_the_calendar_file(cast: Cast, ann: Contact) -> None:
    made = new_meeting(
        cast,
        title="Demo, part 1",
        place="Room 1; left",
        link="https://meet.example.com/a",
        attendees=[{"contact": ann.pk}],
    )
    answer = cast.key.get(f"/meeting/{made['_id']}/ics")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/calendar; charset=utf-8")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="meeting-{made["_id"]}.ics"'
    method, event = event_of(answer.body.decode())
    assert (method, event["UID"], event["SEQUENCE"], event["STATUS"]) == (
        "PUBLISH",
        f"{made['_id']}@meetings.leadwright",
        0,
        "CONFIRMED",
    )
    assert (event["SUMMARY"], event["LOCATION"], event["URL"]) == (
        "Demo, part 1",
        "Room 1; left",
        "https://meet.example.com/a",
    )
    assert event.decoded("DTSTART") == datetime(2090, 3, 9, 14, tzinfo=UTC)
    assert event.decoded("DTEND") == datetime(2090, 3, 9, 15, tzinfo=UTC)
    assert "ATTENDEE" not in event, "who publishes names nobody (RFC 5546)"
    assert event["ORGANIZER"] == f"mailto:{cast.owner.email}"
    assert cast.session.get(f"/meeting/{made['_id']}/ics").body == answer.body
    cast.key.delete("/meeting", {"ids": [made["_id"]]})
    method, event = event_of(cast.key.get(f"/meeting/{made['_id']}/ics").body.decode())
    assert (method, event["STATUS"], event["SEQUENCE"]) == ("PUBLISH", "CANCELLED", 1)


def test_another_companys_looks_missing(cast: Cast, outsiders: Cast) -> None:
    foreign = new_meeting(outsiders)["_id"]
    for method, path, body in (("GET", "", None), ("PUT", "", {"title": "Mine"}), ("GET", "/ics", None)):
        answer = cast.key.call(method, f"/meeting/{foreign}{path}", body)
        assert (answer.status, answer.body["message"]) == (404, "Not found")
        assert answer.body == cast.key.call(method, f"/meeting/{MISSING}{path}", body).body
        malformed = cast.key.call(method, f"/meeting/xyz{path}", body)
        assert (malformed.status, malformed.body["message"]) == (400, "Invalid format for field _id: xyz")
    assert cast.key.get("/meeting").data == []


def test_the_permission_module_decides_on_the_session_path(db: None) -> None:
    allowed, refused = make_cast({"meeting": dict.fromkeys(("GET", "POST", "PUT", "DELETE"), True)}), make_cast({})
    for made, statuses in ((allowed, (200, 201, 200, 200, 200, 200)), (refused, (403,) * 6)):
        id = new_meeting(made)["_id"]
        calls = [
            *(
                ("GET", "/meeting", None),
                ("POST", "/meeting", GOOD),
                ("GET", f"/meeting/{id}", None),
                ("GET", f"/meeting/{id}/ics", None),
            ),
            *(("PUT", f"/meeting/{id}", {"title": "y"}), ("DELETE", "/meeting", {"ids": [id]})),
        ]
        assert tuple(made.narrow_session.call(*call).status for call in calls) == statuses


def test_a_deleted_lead_keeps_its_meetings(cast: Cast) -> None:
    with cast.scope():
        lead = LeadFactory()
    made = new_meeting(cast, lead=lead.pk)
    assert cast.key.delete("/lead", {"ids": [lead.pk]}).status == 200
    assert cast.key.put(f"/meeting/{made['_id']}", {"lead": lead.pk, "place": "Room 2"}).data["lead"]["_id"] == lead.pk
    with cast.scope():
        assert Lead.objects.get(pk=lead.pk).is_deleted
