"""Meetings as iCalendar files (RFC 5545) and as messages to calendars (iTIP, RFC 5546)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum

from icalendar import Calendar, Event, vCalAddress, vUri

from accounts.models import Member
from crm.activities.text import one_line, several_lines
from crm.meetings.models import Meeting, MeetingAttendee

PRODUCT = "-//Leadwright//Meetings//EN"
MAX_NAME_LENGTH = 300
"""The largest number of characters of a name."""


class Method(StrEnum):
    """The file's action for its reader."""

    REQUEST = "REQUEST"
    CANCEL = "CANCEL"
    PUBLISH = "PUBLISH"
    """Nothing: the file is for reading and keeping."""


def calendar_file(meeting: Meeting, attendees: Sequence[MeetingAttendee], method: Method) -> str:
    """Return the meeting (with its organizer) as a file. A cancellation may name some of the attendees.

    A published file may have no attendees (RFC 5546, 3.2.1), so its description lists them.

    Times are in UTC, which needs no time zone rules in the file; each calendar converts them.
    """
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", method.value)
    cancelled = method is Method.CANCEL or meeting.status == Meeting.Status.CANCELLED
    comes = ", ".join(one_line(guest.name) or guest.email for guest in attendees) if method is Method.PUBLISH else ""
    event = _event(meeting, cancelled=cancelled, comes=comes)
    event.add("organizer", _address(meeting.organizer.name, meeting.organizer.email), encode=False)
    if method is not Method.PUBLISH:
        if method is Method.REQUEST:
            event.add("attendee", _organizing(meeting.organizer), encode=False)
        for attendee in attendees:
            event.add("attendee", _attendee_address(attendee), encode=False)
    calendar.add_component(event)
    return bytes(calendar.to_ical()).decode()


def uid_of(meeting: Meeting) -> str:
    """Return the identifier by which calendars know the meeting."""
    return f"{meeting.pk}@meetings.leadwright"


def _event(meeting: Meeting, *, cancelled: bool, comes: str) -> Event:
    event = Event()
    event.add("uid", uid_of(meeting))
    event.add("sequence", meeting.sequence)
    event.add("dtstamp", _utc(meeting.updated_at))
    event.add("created", _utc(meeting.created_at))
    event.add("last-modified", _utc(meeting.updated_at))
    event.add("dtstart", _utc(meeting.starts_at))
    event.add("dtend", _utc(meeting.ends_at))
    event.add("summary", one_line(meeting.title))
    event.add("status", "CANCELLED" if cancelled else "CONFIRMED")
    event.add("transp", "OPAQUE")
    parts = (several_lines(meeting.description), meeting.link, comes and f"With {comes}")
    description = "\n\n".join(part for part in parts if part)
    if description:
        event.add("description", description)
    if meeting.place or meeting.link:
        event.add("location", one_line(meeting.place or meeting.link))
    if meeting.link:
        event.add("url", vUri(one_line(meeting.link)), encode=False)
    return event


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(microsecond=0)


def _address(name: str, email: str) -> vCalAddress:
    address = vCalAddress(f"mailto:{one_line(email)}")
    # Few calendars read the quotes and carets that RFC 6868 encodes in parameters, so they are removed.
    shown = one_line(name).translate(str.maketrans('"^', "'\u02c6"))[:MAX_NAME_LENGTH]
    if shown:
        address.params["CN"] = shown
    return address


def _organizing(organizer: Member) -> vCalAddress:
    address = _address(organizer.name, organizer.email)
    address.params.update({"ROLE": "CHAIR", "PARTSTAT": "ACCEPTED", "CUTYPE": "INDIVIDUAL"})
    return address


def _attendee_address(attendee: MeetingAttendee) -> vCalAddress:
    address = _address(attendee.name, attendee.email)
    address.params.update(
        {"ROLE": "REQ-PARTICIPANT", "PARTSTAT": "NEEDS-ACTION", "RSVP": "TRUE", "CUTYPE": "INDIVIDUAL"}
    )
    return address
