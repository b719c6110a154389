"""The calendar: where entries stand, moves, weeks in which clocks change, and the page of a meeting."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from accounts.models import Company
from crm.meetings.pages.days import Entry, days_of, hours_of
from crm.models import FollowUp, Meeting, MeetingAttendee
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

MIDNIGHT = "00:00 At midnight"
EVIL = '"><script>alert(1)</script>'


@pytest.fixture
def client(scope: Cast) -> Any:
    Company.objects.filter(pk=scope.company.pk).update(timezone="Europe/Berlin")
    return enter(scope.owner)


def plan(cast: Cast, title: str, start: datetime, minutes: int = 60) -> Meeting:
    end = start + timedelta(minutes=minutes)
    return Meeting.objects.create(
        title=title, organizer=cast.owner, starts_at=start, ends_at=end, timezone="Europe/Berlin"
    )


def slot_of(page: str, text: str) -> str:
    """Return the time of the slot in which the text stands."""
    found = [slot for slot in re.split(r"(?=<li class=\"slot)", page) if text in slot]
    assert len(found) == 1, len(found)
    place = re.search(r'data-place="([^"]*)"', found[0])
    return place[1] if place else ""


def test_weeks_in_which_clocks_change(scope: Cast, client: Any) -> None:
    """In March an hour is missing, in October one comes twice; the hours after it stand by the clock all the same."""
    plan(scope, "Spring", datetime(2030, 3, 31, 7, tzinfo=UTC))  # 09:00 by summer's clocks
    plan(scope, "Early", datetime(2030, 3, 31, 0, 30, tzinfo=UTC))  # 01:30, until 03:30 as clocks say
    plan(scope, "First", datetime(2030, 10, 27, 0, 30, tzinfo=UTC), 45)  # 02:30, until 02:15 of the second hour
    plan(scope, "Second", datetime(2030, 10, 27, 1, 30, tzinfo=UTC))  # 02:30 again
    path = at(scope.owner, "calendar?view=week&from=")
    march = html_of(client.get(f"{path}2030-03-27"))
    assert (slot_of(march, "Spring"), slot_of(march, "Early")) == ("2030-03-31T09:00", "2030-03-31T01:30")
    assert march.count('class="slot gone"') == 2
    assert "2030-03-31T02:00" not in march
    assert "from-0 for-8 lane-0-1" in re.findall(r'class="event[^>]*>(?=<a[^>]*>[^/]*/span> Early)', march)[0]
    october = html_of(client.get(f"{path}2030-10-27"))
    assert slot_of(october, "First") == slot_of(october, "Second") == "2030-10-27T02:30"
    assert "lane-0-2" in october
    assert "lane-1-2" in october
    assert 'class="slot gone"' not in october
    berlin = enter(scope.owner)
    spring = Meeting.objects.get(title="Spring")
    moved = berlin.post(
        f"{path}2030-03-27", {"do": "move", "id": spring.pk, "kind": "meeting", "at": "2030-03-30T09:00"}
    )
    was, toast = spring.starts_at, toast_of(berlin, moved)
    assert "Moved to Saturday 30 Mar 2030, 09:00" in toast
    spring.refresh_from_db()
    assert spring.starts_at == datetime(2030, 3, 30, 8, tzinfo=UTC)
    undo = re.search(r'<form method="post" action="([^"]+)">(.*?)</form>', toast, re.DOTALL)
    assert undo is not None
    sent = dict(re.findall(r'name="(do|id|kind|at)" value="([^"]*)"', undo[2]))
    berlin.post(undo[1].replace("&amp;", "&"), sent)
    spring.refresh_from_db()
    assert spring.starts_at == was
    skipped = berlin.post(f"{path}2030-03-27", {"do": "move", "id": spring.pk, "at": "2030-03-31T02:30"})
    assert 'class="toast bad"' in toast_of(berlin, skipped)


def test_entries_over_days_and_side_by_side() -> None:
    zone = ZoneInfo("Europe/Berlin")

    def entry(start: str, end: str) -> Entry:
        return Entry.of_meeting({"startsAt": start, "endsAt": end}, zone)

    night = entry("2030-05-06T21:00:00+02:00", "2030-05-07T02:10:00+02:00")
    exact = entry("2030-05-07T22:00:00+02:00", "2030-05-08T00:00:00+02:00")
    beside = [entry("2030-05-06T22:00:00+02:00", f"2030-05-06T22:{end}:00+02:00") for end in ("05", "45")]
    days = days_of([night, exact, *beside], date(2030, 5, 6), 7, zone, date(2030, 5, 7))
    assert [len(day.entries) for day in days] == [3, 2, 0, 0, 0, 0, 0]
    assert [(one.begin, one.end, one.lane, one.lanes) for one in days[0].pieces] == [
        (1260, 1440, 0, 3),
        (1320, 1350, 1, 3),
        (1320, 1365, 2, 3),
    ]
    assert [(one.begin, one.end, one.begins) for one in days[1].pieces] == [(0, 130, False), (1320, 1440, True)]
    assert (hours_of(days), [day.is_today for day in days].index(True)) == (range(24), 1)


def test_a_month_with_follow_ups_and_moves_by_day(scope: Cast, client: Any) -> None:
    for number in range(4):
        plan(scope, f"Meeting {number}", datetime(2030, 5, 6, 8 + number, tzinfo=UTC))
    due = FollowUp.objects.create(
        lead=LeadFactory(), title=EVIL, due_at=datetime(2030, 5, 8, 9, 15, tzinfo=UTC), assignee=scope.owner
    )
    midnight = {"title": "At midnight", "due_at": datetime(2030, 4, 28, 22, tzinfo=UTC)}  # of the first day shown
    FollowUp.objects.create(lead=LeadFactory(), assignee=scope.owner, **midnight)
    late = FollowUp.objects.create(
        lead=LeadFactory(), title="Late", due_at=datetime(2020, 1, 1, tzinfo=UTC), assignee=scope.owner
    )
    path = at(scope.owner, "calendar?view=month&from=2030-05-20")
    page = client.get(path)
    text = text_of(page)
    assert all(
        part in text for part in ("May 2030", "10:00 Meeting 0", "1 more", "11:15", "Overdue tasks 1", "Late", MIDNIGHT)
    )
    assert "<script>alert" not in html_of(page)
    assert 'aria-label="Monday 6 May 2030, 4 planned"' in html_of(page)
    assert "No meetings or tasks" in text  # on the day that small screens list
    small = html_of(client.get(at(scope.owner, "calendar?view=month&from=2030-05-06")))
    assert re.search(r"Monday.*Meeting 3", small.partition('id="day-chosen"')[2], re.DOTALL)
    sent = {"do": "move", "kind": "follow-up", "id": due.pk, "at": "2030-05-09", "time": "11:15"}
    assert "Moved to Thursday" in toast_of(client, client.post(path, sent))
    due.refresh_from_db()
    assert due.due_at == datetime(2030, 5, 9, 9, 15, tzinfo=UTC)
    assert "Task completed" in toast_of(client, client.post(path, {"do": "done", "id": late.pk}))
    assert "Overdue" not in text_of(client.get(path))
    assert all(client.get(at(scope.owner, f"calendar?view={view}")).status_code == 200 for view in ("agenda", "x", ""))


def test_a_meeting_is_changed_its_people_come_and_go_and_it_is_cancelled(scope: Cast, client: Any) -> None:
    ann = ContactFactory(name="Ann Lee", email="ann@example.org")
    new = at(scope.owner, "calendar/new")
    assert 'value="2030-05-06T08:30"' in html_of(client.get(f"{new}?at=2030-05-06T08:30"))
    assert f'value="{ann.pk}" checked' in html_of(client.get(f"{new}?contact={ann.pk}"))
    typed = {"title": "Plan", "startsAt": "2030-05-06T08:30", "durationMinutes": "30"}
    for path, do in ((new, {"do": "next"}), (f"{new}/people", {})):  # Enter, and the button beside it
        shown = html_of(client.post(path, {**typed, **do, "find": "ann"}))
        assert f'name="contacts" value="{ann.pk}">' in shown
        assert 'value="Plan"' in shown
    who = {"contacts": [ann.pk], "members": [scope.narrow.pk]}
    shown = html_of(client.post(f"{new}/people", {**typed, **who, "find": scope.narrow.email}))
    assert (shown.count("checked>"), shown.count(f'value="{scope.narrow.pk}"')) == (2, 1)
    unclear = client.post(new, {**typed, "do": "save", "find": "ann"})
    assert (unclear.status_code, "Choose a person for “ann”" in text_of(unclear)) == (422, True)
    sent = {**typed, **who, "do": "next", "attendees": "bob@example.org", "find": "cy@example.org"}
    assert "Meeting created" in toast_of(client, client.post(new, sent))
    assert set(MeetingAttendee.objects.values_list("email", "contact_id", "member_id")) == {
        ("ann@example.org", ann.pk, None),
        (scope.narrow.email, None, scope.narrow.pk),
        ("bob@example.org", None, None),
        ("cy@example.org", None, None),
    }
    MeetingAttendee.objects.all().delete()
    meeting = plan(scope, "Offer", datetime(2030, 5, 6, 8, tzinfo=UTC))
    path = at(scope.owner, f"meetings/{meeting.pk}")
    found = html_of(client.get(f"{path}?find=ann"))
    contact = re.search(r'name="contact" value="(\w+)"', found)
    assert contact is not None
    for one in ({"contact": contact[1]}, {"email": "bob@example.org"}, {"member": scope.narrow.pk}):
        assert "Invited" in toast_of(client, client.post(path, {"do": "invite", **one}))
    assert 'class="toast bad"' in toast_of(client, client.post(path, {"do": "invite", "email": "nobody"}))
    bob = MeetingAttendee.objects.get(email="bob@example.org")
    assert "Removed" in toast_of(client, client.post(path, {"do": "remove", "attendee": bob.pk}))
    assert set(MeetingAttendee.objects.values_list("email", flat=True)) == {"ann@example.org", scope.narrow.email}
    wrong = client.post(path, {"title": EVIL, "startsAt": "soon"})
    assert (wrong.status_code, "<script>alert" in html_of(wrong)) == (422, False)
    sent = {"title": "Offer 2", "startsAt": "2030-05-06T11:00", "durationMinutes": "30", "remindMinutes": "60"}
    assert "Meeting saved" in toast_of(client, client.post(path, sent))
    meeting.refresh_from_db()
    assert (meeting.title, meeting.starts_at.hour, meeting.remind_minutes) == ("Offer 2", 9, 60)
    assert "6 May 2030, 11:00–11:30" in text_of(client.get(path))
    file = client.post(path, {"do": "file"})
    assert (file["Content-Type"], b"SUMMARY:Offer 2" in file.content) == ("text/calendar; charset=utf-8", True)
    assert "Meeting cancelled" in toast_of(client, client.post(path, {"do": "cancel"}))
    over = html_of(client.get(path))
    assert ("Cancelled" in over, 'value="save"' in over, 'value="cancel"' in over) == (True, False, False)


def test_calls_and_follow_ups_are_made_changed_and_put_off(scope: Cast, client: Any) -> None:
    ann = ContactFactory(name="Ann Lee")
    lead = LeadFactory(contact=ann)
    new = at(scope.owner, "calls/new")
    assert f'name="contact" value="{ann.pk}"' in html_of(client.post(new, {"do": "find", "find": "ann"}))
    sent = {
        "direction": "inbound",
        "outcome": "busy",
        "minutes": "2",
        "notes": EVIL,
        "recording": "https://example.org/1",
    }
    assert client.post(f"{new}?contact={ann.pk}", {**sent, "recording": "ftp://x"}).status_code == 422
    assert "Call logged" in toast_of(client, client.post(f"{new}?contact={ann.pk}", sent))
    listed = html_of(client.get(at(scope.owner, "calls")))
    call = re.search(r"/calls/(\w{24})", listed)
    assert call is not None
    assert ("https://example.org/1" in listed, "<script>alert" in listed) == (True, False)
    path = at(scope.owner, f"calls/{call[1]}")
    assert "Call saved" in toast_of(client, client.post(path, {"outcome": "connected", "minutes": "4"}))
    assert "4 min" in text_of(client.get(at(scope.owner, "calls")))
    assert "Call deleted" in toast_of(client, client.post(path, {"do": "delete"}))

    new = at(scope.owner, "follow-ups/new")
    assert f'value="lead-{lead.pk}"' in html_of(client.get(f"{new}?find=ann"))
    assert client.post(f"{new}?lead={lead.pk}", {"title": "Send it", "dueAt": "soon"}).status_code == 422
    sent = {"title": "Send it", "dueAt": "2030-05-06T10:00", "remindMinutes": "60", "assignee": scope.narrow.pk}
    assert "Task added" in toast_of(client, client.post(f"{new}?lead={lead.pk}", sent))
    one = FollowUp.objects.get()
    assert (one.due_at, one.assignee_id, one.remind_minutes) == (
        datetime(2030, 5, 6, 8, tzinfo=UTC),
        scope.narrow.pk,
        60,
    )
    path = at(scope.owner, f"follow-ups/{one.pk}")
    assert "Task saved" in toast_of(client, client.post(path, {"notes": "by post", "assignee": ""}))
    listing = at(scope.owner, "follow-ups")
    assert "Snoozed until" in toast_of(client, client.post(listing, {"do": "snooze", "id": one.pk, "days": "7"}))
    one.refresh_from_db()
    # A week after its due day, and never before it.
    assert (one.notes, one.assignee_id, one.due_at.date()) == ("by post", None, date(2030, 5, 13))
    FollowUp.objects.update(due_at=datetime(2020, 1, 1, tzinfo=UTC))
    client.post(listing, {"do": "snooze", "id": one.pk, "days": "7"})
    one.refresh_from_db()
    assert (one.due_at - datetime.now(UTC)).days in (6, 7)
    assert "Task completed" in toast_of(client, client.post(path, {"do": "done"}))
    assert "deleted" in toast_of(client, client.post(path, {"do": "delete"}))


def test_who_only_reads_changes_nothing(db: None) -> None:
    cast = make_cast({"meeting": {"GET": True}, "lead-activity": {"GET": True}})
    with cast.scope():
        meeting = plan(cast, "Offer", datetime(2030, 5, 6, 8, tzinfo=UTC))
    client = enter(cast.narrow)
    path = at(cast.narrow, "calendar?view=week&whose=all&from=2030-05-06")
    page = html_of(client.get(path))
    assert ("Offer" in page, "data-card" in page, "calendar/new" in page, 'id="move"' in page) == (True, *[False] * 3)
    sent = {"do": "move", "id": meeting.pk, "at": "2030-05-07T10:00"}
    assert 'class="toast bad"' in toast_of(client, client.post(path, sent))
    one = at(cast.narrow, f"meetings/{meeting.pk}")
    shown = html_of(client.get(one))
    assert (shown.count('name="do"'), 'value="file"' in shown) == (1, True)
    for sent in ({"do": "cancel"}, {"do": "invite", "email": "a@example.org"}):
        assert 'class="toast bad"' in toast_of(client, client.post(one, sent))
    assert client.post(one, {"title": "Mine"}).status_code == 422
    with cast.scope():
        meeting.refresh_from_db()
        assert (meeting.title, meeting.status, meeting.starts_at.day) == ("Offer", "scheduled", 6)
