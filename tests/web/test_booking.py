"""The pages of booking, of video calls, and the calendar of those whose role shows less."""

from __future__ import annotations

import re
from typing import Any

import pytest

from accounts.models import Member
from crm.models import Meeting, VideoSettings
from outreach.models import BookingPage, MemberHours
from tests.crm.meetings.helpers import new_meeting
from tests.kit.cast import Cast, make_cast
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

ALL = dict.fromkeys(("GET", "POST", "PUT", "DELETE"), True)


@pytest.fixture
def owner(cast: Cast) -> Member:
    return cast.owner


def test_a_page_is_made_changed_and_deleted(owner: Member, cast: Cast) -> None:
    browser = enter(owner)
    values = {"name": "Intro", "durationMinutes": "45", "stepMinutes": "15", "kind": "offline", "colour": "#2f5bea"}
    rest = {"bufferBefore": "0", "bufferAfter": "10", "noticeMinutes": "60", "horizonDays": "20", "isActive": "on"}
    made = browser.post(at(owner, "booking/new"), {"do": "save", **values, **rest, "remindMinutes": ""})
    assert "The page is open" in toast_of(browser, made)
    with cast.scope():
        page = BookingPage.objects.get()
    assert (page.duration_minutes, page.buffer_after, page.member_id) == (45, 10, owner.pk)
    assert (page.remind_minutes, page.kind) == (None, "offline")
    shown = text_of(browser.get(at(owner, "booking")))
    assert ("Intro" in shown, f"/book/{page.token}" in shown) == (True, True)
    place = at(owner, f"booking/pages/{page.pk}")
    refused = browser.post(place, {"do": "save", **values, **rest, "horizonDays": "365", "remindMinutes": ""})
    assert (refused.status_code, "90" in text_of(refused)) == (422, True)
    asked = browser.post(f"{place}/questions", {"do": "save", "label": "About what?", "type": "text"})
    assert "Question added" in toast_of(browser, asked)
    with cast.scope():
        assert [one["key"] for one in BookingPage.objects.get().questions] == ["about_what"]
    assert "Question removed" in toast_of(
        browser, browser.post(f"{place}/questions", {"do": "remove", "key": "about_what"})
    )
    assert "deleted" in toast_of(browser, browser.post(place, {"do": "delete"}))
    with cast.scope():
        assert not BookingPage.objects.exists()


def test_a_page_has_a_chosen_address(owner: Member, cast: Cast) -> None:
    browser, place = enter(owner), at(owner, "booking/new")
    values = {"name": "Intro", "kind": "offline", "colour": "#2f5bea", "horizonDays": "20", "isActive": "on"}
    for wrong, said in (("Intro call", "letters a to z"), ("login", "reserved"), ("x", "3 to 60")):
        refused = browser.post(place, {"do": "save", **values, "slug": wrong})
        assert (refused.status_code, said in text_of(refused)) == (422, True), wrong
    assert "The page is open" in toast_of(browser, browser.post(place, {"do": "save", **values, "slug": "intro-call"}))
    with cast.scope():
        page = BookingPage.objects.get()
    assert "/book/intro-call" in text_of(browser.get(at(owner, "booking")))
    changed = at(owner, f"booking/pages/{page.pk}")
    shown = text_of(browser.get(changed))
    assert ("The former address still leads here." in shown, "/book/intro-call" in shown) == (True, True)
    taken = browser.post(place, {"do": "save", **values, "name": "Second", "slug": "intro-call"})
    assert (taken.status_code, "intro-call-2" in text_of(taken)) == (422, True)


def test_a_page_of_video_calls_says_where_links_are_set(owner: Member, cast: Cast) -> None:
    browser, place = enter(owner), at(owner, "booking/new")
    hint = "Choose a video call provider here"
    assert hint in text_of(browser.get(place))
    values = {"name": "Intro", "kind": "online", "colour": "#2f5bea", "horizonDays": "20", "isActive": "on"}
    refused = browser.post(place, {"do": "save", **values})
    assert (refused.status_code, "the company's settings have none" in text_of(refused)) == (422, True)
    cures = r'<a class="button" href="([^"]+)">(?:Set up video calls|Connect Google Calendar)</a>'
    assert re.findall(cures, html_of(refused)) == [at(owner, "settings/video-calls"), at(owner, "booking/hours")]
    chosen = browser.post(place, {"do": "save", **values, "videoProvider": "link-template"})
    assert (chosen.status_code, len(re.findall(cures, html_of(chosen)))) == (422, 2)
    with cast.scope():
        assert not BookingPage.objects.exists()
        VideoSettings.objects.create(link_template="https://meet.example.org/{random}", provider="link-template")
    assert hint not in text_of(browser.get(place))
    assert "The page is open" in toast_of(browser, browser.post(place, {"do": "save", **values}))


def test_hours_are_written_as_people_write_them(owner: Member, cast: Cast) -> None:
    browser, place = enter(owner), at(owner, "booking/hours")
    assert html_of(browser.get(place)).count('value="09:00 – 17:00"') == 5
    days = dict.fromkeys((f"day{day}" for day in range(1, 8)), "")
    days |= {"day1": "9:00-12:30, 13:30 – 17:00", "day6": "10-12"}
    wrong = browser.post(place, {"do": "save", **days, "day2": "mornings", "away": "soon"})
    assert (wrong.status_code, "Enter times such as 09:00" in text_of(wrong)) == (422, True)
    sent = browser.post(place, {"do": "save", **days, "timezone": "Europe/Berlin", "away": "2027-08-02 – 2027-08-13"})
    assert "Saved" in toast_of(browser, sent)
    with cast.scope():
        found = MemberHours.objects.get()
    assert [(one["day"], one["from"], one["to"]) for one in found.days] == [
        (1, "09:00", "12:30"),
        (1, "13:30", "17:00"),
        (6, "10:00", "12:00"),
    ]
    assert found.away == [{"from": "2027-08-02", "to": "2027-08-13"}]
    assert "2027-08-02 – 2027-08-13" in html_of(browser.get(place))


def test_a_page_has_hours_of_its_own(owner: Member, cast: Cast) -> None:
    with cast.scope():
        page = BookingPage.objects.create(name="Intro", member=owner, token="h" * 32)
    browser, place = enter(owner), at(owner, f"booking/pages/{page.pk}/hours")
    days = dict.fromkeys((f"day{day}" for day in range(1, 8)), "")
    for wrong in ("mornings", "12-10", "10-25", "10:75-12", "9-12, soon"):
        refused = browser.post(place, {"do": "save", **days, "day2": wrong})
        assert (refused.status_code, "Enter times such as 09:00" in text_of(refused)) == (422, True), wrong
    overlapping = browser.post(place, {"do": "save", **days, "day2": "10-12, 11-13"})
    assert (overlapping.status_code, "overlap" in text_of(overlapping)) == (422, True)
    sent = browser.post(place, {"do": "save", **days, "day2": "10-12; 13 to 24", "timezone": "Europe/Lisbon"})
    assert "Saved" in toast_of(browser, sent)
    with cast.scope():
        page.refresh_from_db()
    assert [(one["day"], one["from"], one["to"]) for one in page.days] == [(2, "10:00", "12:00"), (2, "13:00", "24:00")]
    assert page.timezone == "Europe/Lisbon"
    shown = html_of(browser.get(place))
    assert ("10:00 – 12:00, 13:00 – 24:00" in shown, '<optgroup label="Europe">' in shown) == (True, True)


def test_links_of_video_calls_are_set_and_used(owner: Member, cast: Cast) -> None:
    browser = enter(owner)
    place = at(owner, "settings/video-calls")
    refused = browser.post(place, {"do": "save", "linkTemplate": "https://meet.example.org/room", "provider": ""})
    assert (refused.status_code, "{random}" in text_of(refused)) == (422, True)
    values = {"linkTemplate": "https://meet.example.org/{random}", "provider": "link-template"}
    assert "Saved" in toast_of(browser, browser.post(place, {"do": "save", **values}))
    with cast.scope():
        assert VideoSettings.objects.get().provider == "link-template"
    when = {"title": "Demo", "startsAt": "2090-03-09T14:00", "durationMinutes": "30", "remindMinutes": ""}
    made = browser.post(at(owner, "calendar/new"), {"do": "save", **when, "videoProvider": "link-template"})
    assert made.status_code == 303
    with cast.scope():
        meeting = Meeting.objects.get()
    assert meeting.link.startswith("https://meet.example.org/")
    assert meeting.link in text_of(browser.get(at(owner, f"meetings/{meeting.pk}")))


@pytest.mark.parametrize("module", ["calendar", "my-calendar", "videocall", "my-videocall", "offline-meeting"])
def test_each_permission_opens_the_calendar(db: None, module: str) -> None:
    cast = make_cast({module: ALL})
    when: dict[str, Any] = {"startsAt": "2090-03-09T14:00:00Z"}
    link, place = {"link": "https://meet.example.org/a"}, {"place": "Room 4"}
    new_meeting(cast, title="Others call", **link, **when)
    new_meeting(cast, title="Own call", **link, **when, attendees=[{"member": cast.narrow.pk}])
    new_meeting(cast, title="Others visit", **place, **when)
    new_meeting(cast, title="Own visit", **place, **when, attendees=[{"member": cast.narrow.pk}])
    browser = enter(cast.narrow)
    shown = text_of(browser.get(at(cast.narrow, "calendar?whose=all&view=agenda&from=2090-03-09")))
    titles = {one for one in ("Others call", "Own call", "Others visit", "Own visit") if one in shown}
    assert (
        titles
        == {
            "calendar": {"Others call", "Own call", "Others visit", "Own visit"},
            "my-calendar": {"Own call", "Own visit"},
            "videocall": {"Others call", "Own call"},
            "my-videocall": {"Own call"},
            "offline-meeting": {"Others visit", "Own visit"},
        }[module]
    )


def test_a_page_of_a_meeting_opens_by_its_kind(db: None) -> None:
    cast = make_cast({"videocall": ALL})
    call = new_meeting(cast, title="A call", link="https://meet.example.org/a")["_id"]
    visit = new_meeting(cast, title="A visit", place="Room 4")["_id"]
    browser = enter(cast.narrow)
    assert "A call" in text_of(browser.get(at(cast.narrow, f"meetings/{call}")))
    assert browser.get(at(cast.narrow, f"meetings/{visit}")).status_code == 404
    assert "Meeting cancelled" in toast_of(browser, browser.post(at(cast.narrow, f"meetings/{call}"), {"do": "cancel"}))


def test_what_a_visitor_has_told_stands_at_the_meeting(owner: Member, cast: Cast) -> None:
    from outreach.models import Booking

    made = new_meeting(cast)["_id"]
    values = {"name": "Ann Ash", "email": "ann@example.org", "answers": {"topic": "Beans & <b>more</b>"}}
    with cast.scope():
        Booking.objects.create(meeting_id=made, member=owner, sent_id="a" * 24, token="t" * 32, **values)
    shown = html_of(enter(owner).get(at(owner, f"meetings/{made}")))
    assert ("Booked by Ann Ash" in shown, "<b>more" in shown) == (True, False)
