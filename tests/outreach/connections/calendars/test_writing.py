"""Meetings in connected calendars: each is written once, whatever happens on the way."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from core.events import deliver
from core.jobs import sweep
from core.tenancy import unscoped
from outreach.connections.calendars.models import CalendarConnection, CalendarEvent
from tests.crm.meetings.helpers import mails, new_meeting
from tests.kit.cast import Cast
from tests.kit.google_calendar import EVENTS, CalendarServer
from tests.kit.mail_vendors import Fault
from tests.outreach.helpers import work


def write() -> None:
    """Let the workers do what is due now: events, then calendars."""
    deliver()
    work("calendar-events")


def make_due() -> None:
    with unscoped(reason="test: the time of the next try has come"):
        CalendarEvent.objects.filter(status="waiting").update(due_at=timezone.now())


def row_of(cast: Cast, meeting: str) -> CalendarEvent:
    with cast.scope():
        return CalendarEvent.objects.get(meeting=meeting)


def test_a_meeting_is_written_moved_and_taken_out(cast: Cast, connected: CalendarServer) -> None:
    made = new_meeting(cast, place="Room 4", description="Bring the offer")
    write()
    id = f"lead{made['_id']}"
    event = connected.events[id]
    assert (event["summary"], event["location"], event["description"]) == ("Demo", "Room 4", "Bring the offer")
    assert event["start"]["dateTime"].startswith("2090-03-09T14:00:00")
    write()
    assert connected.written == [("POST", id)]
    cast.key.put(f"/meeting/{made['_id']}", {"startsAt": "2090-03-10T09:00:00Z"})
    cast.key.put(f"/meeting/{made['_id']}", {"remindMinutes": 5})
    write()
    assert connected.events[id]["start"]["dateTime"].startswith("2090-03-10T09:00:00")
    cast.key.delete("/meeting", {"ids": [made["_id"]]})
    write()
    assert connected.written == [("POST", id), ("PATCH", id), ("DELETE", id)]
    assert row_of(cast, made["_id"]).status == "done"


def test_a_link_of_google_reaches_the_meeting_and_its_people(cast: Cast, connected: CalendarServer) -> None:
    connected.late_links = 2
    made = new_meeting(cast, videoProvider="google-calendar", attendees=[{"email": "ann@example.org"}])
    assert (made["kind"], made["link"]) == ("online", "")
    write()
    for _ in range(3):
        make_due()
        write()
    link = f"https://meet.google.com/{made['_id'][-10:]}"
    assert cast.key.get(f"/meeting/{made['_id']}").data["link"] == link
    assert [mail.to for mail in mails() if link in mail.text].count("ann@example.org") == 1
    assert [method for method, _ in connected.written] == ["POST"]
    request = connected.events[f"lead{made['_id']}"]["conferenceData"]["createRequest"]["requestId"]
    assert request == f"lead{made['_id']}"


def test_a_calendar_that_goes_away_loses_and_repeats_nothing(cast: Cast, connected: CalendarServer) -> None:
    connected.script = [Fault(503, {}), Fault(cut=True), Fault(cut=True, sends=True), Fault(429, {})]
    made = new_meeting(cast, videoProvider="google-calendar")
    write()
    told = cast.key.get(f"/meeting/{made['_id']}").data
    assert (told["status"], told["link"], "503" in told["videoError"]) == ("scheduled", "", True)
    assert cast.key.get("/my-calendar/connection").data["waiting"] == 1
    for _ in range(4):
        make_due()
        write()
    assert connected.written == [("POST", f"lead{made['_id']}"), ("PATCH", f"lead{made['_id']}")]
    assert len(connected.events) == 1
    told = cast.key.get(f"/meeting/{made['_id']}").data
    assert (bool(told["link"]), told["videoError"]) == (True, "")


def test_what_google_never_takes_is_seen_and_tried_again_by_hand(cast: Cast, connected: CalendarServer) -> None:
    connected.script = [Fault(400, {})]
    made = new_meeting(cast)
    write()
    make_due()
    write()
    seen = cast.key.get("/my-calendar/connection").data
    assert (seen["failed"], seen["waiting"], seen["lastError"]) == (1, 0, "Google answered 400.")
    assert cast.key.post("/my-calendar/connection/sync").status == 200
    write()
    assert list(connected.events) == [f"lead{made['_id']}"]
    assert cast.key.get("/my-calendar/connection").data["failed"] == 0


def test_a_log_in_that_was_taken_back_stops_and_goes_on(cast: Cast, connected: CalendarServer) -> None:
    from tests.outreach.connections.calendars.conftest import connect

    connected.google.access.clear()
    connected.google.refresh.clear()
    made = new_meeting(cast)
    write()
    assert cast.key.get("/my-calendar/connection").data["needsLogin"] is True
    assert [mail.kind for mail in mails("notice_calendar")] == ["notice_calendar_failing"]
    make_due()
    write()
    assert len(mails("notice_calendar")) == 1
    refused = cast.key.post(
        "/videocall",
        {"title": "x", "startsAt": "2090-03-09T14:00Z", "durationMinutes": 5, "videoProvider": "google-calendar"},
    )
    assert (refused.status, "connected again" in refused.body["warning"]) == (400, True)
    connect(connected, cast.key)
    write()
    assert list(connected.events) == [f"lead{made['_id']}"]


def test_a_worker_that_dies_before_it_says_so_writes_once(
    cast: Cast, connected: CalendarServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is killed when Google has the event and the row does not say so yet."""
    from outreach.connections.calendars import event_sync

    made = new_meeting(cast)

    def die(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(event_sync, "_settle", die)
        with pytest.raises(KeyboardInterrupt):
            write()
    assert row_of(cast, made["_id"]).status == "running"
    with unscoped(reason="test: the dead worker's row"):
        CalendarEvent.objects.update(worker=2**30)
    assert sweep() == 1
    write()
    assert connected.written == [("POST", f"lead{made['_id']}"), ("PATCH", f"lead{made['_id']}")]
    assert (len(connected.events), row_of(cast, made["_id"]).status) == (1, "done")


def test_what_changes_while_it_is_written_is_written_again(
    cast: Cast, connected: CalendarServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from outreach.connections.calendars import event_sync

    made, wrote = new_meeting(cast), event_sync.write_event

    def slow(*given: Any, **options: Any) -> Any:
        monkeypatch.setattr(event_sync, "write_event", wrote)
        found = wrote(*given, **options)
        cast.key.put(f"/meeting/{made['_id']}", {"title": "Renamed"})
        deliver()
        return found

    monkeypatch.setattr(event_sync, "write_event", slow)
    write()
    assert connected.events[f"lead{made['_id']}"]["summary"] == "Renamed"


def test_others_meetings_stay_out_of_a_calendar(cast: Cast, outsiders: Cast, connected: CalendarServer) -> None:
    new_meeting(cast, organizer=cast.narrow.pk)
    new_meeting(outsiders)
    write()
    assert connected.events == {}
    with outsiders.scope():
        assert not CalendarEvent.objects.exists()


def test_coming_meetings_are_written_when_a_calendar_is_connected(cast: Cast, google: CalendarServer) -> None:
    from tests.outreach.connections.calendars.conftest import connect

    made = new_meeting(cast)
    past = new_meeting(cast, startsAt="2020-03-09T14:00:00Z")
    connect(google, cast.key)
    write()
    assert list(google.events) == [f"lead{made['_id']}"]
    assert past["_id"] not in str(google.calls)
    gone = cast.key.delete("/my-calendar/connection")
    assert (gone.status, gone.data["isConnected"]) == (200, False)
    assert "refresh-canary-2" not in google.google.refresh
    with cast.scope():
        [row] = CalendarConnection.objects.all()
        assert (row.api_key, row.access_token, row.busy) == ("", "", [])
    cast.key.put(f"/meeting/{made['_id']}", {"title": "Later"})
    write()
    assert google.events[f"lead{made['_id']}"]["summary"] == "Demo"
    connect(google, cast.key)
    write()
    assert google.events[f"lead{made['_id']}"]["summary"] == "Later"
    assert EVENTS in str(google.calls)
