"""GET /meeting/:id/ics (contract 4.4)"""

from __future__ import annotations

from datetime import UTC, datetime

from crm.models import Contact
from tests.crm.meetings.helpers import event_of, new_meeting
from tests.kit.cast import Cast


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
    assert "ATTENDEE" not in event, "a published file may have none (RFC 5546)"
    assert event["DESCRIPTION"].endswith(f"With {ann.name}")
    assert event["ORGANIZER"] == f"mailto:{cast.owner.email}"
    assert cast.session.get(f"/meeting/{made['_id']}/ics").body == answer.body
    cast.key.delete("/meeting", {"ids": [made["_id"]]})
    method, event = event_of(cast.key.get(f"/meeting/{made['_id']}/ics").body.decode())
    assert (method, event["STATUS"], event["SEQUENCE"]) == ("PUBLISH", "CANCELLED", 1)
