"""Mails about meetings: invitations and cancellations with iCalendar files, and reminders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from accounts.mails.services import Letter, queue_mails
from accounts.models import Member
from accounts.settings.formats import formats_of
from core.text.timezones import Offset, zone_of
from crm.activities.reminders import Reminded, Reminder
from crm.meetings.icalendar import Method, calendar_file
from crm.meetings.models import Meeting, MeetingAttendee
from crm.teams.services import ACTIVE

Person = Member | MeetingAttendee


def invite(
    meeting: Meeting, attendees: Sequence[MeetingAttendee], to: Sequence[Person], *, changed: bool = False
) -> None:
    """Invite these people to the meeting, or tell them that it has changed; `attendees` are all attendees."""
    _send("meeting_invitation", meeting, to, calendar_file(meeting, attendees, Method.REQUEST), changed=changed)


def call_off(meeting: Meeting, attendees: Sequence[MeetingAttendee], *, whole: bool) -> None:
    """Tell the attendees that they are no longer invited, and the organizer too if the whole meeting is cancelled."""
    people: list[Person] = [meeting.organizer, *attendees] if whole else list(attendees)
    _send("meeting_cancelled", meeting, people, calendar_file(meeting, attendees, Method.CANCEL), whole=whole)


def _send(template: str, meeting: Meeting, people: Sequence[Person], calendar: str, **facts: Any) -> None:
    """Send the mail to these people, except members who no longer belong to the company."""
    context, gone = {**_facts(meeting), **facts}, _gone(people)
    letters = [
        Letter(person.email, {**context, "name": person.name}, calendar)
        for person in people
        if _member_id(person) not in gone
    ]
    queue_mails(template, letters, company_id=meeting.company_id)


def _member_id(person: Person) -> str | None:
    return person.pk if isinstance(person, Member) else person.member_id


def _gone(people: Sequence[Person]) -> set[str]:
    ids = [id for id in map(_member_id, people) if id]
    return set(Member.objects.filter(pk__in=ids).exclude(status__in=ACTIVE).values_list("pk", flat=True))


def _facts(meeting: Meeting) -> dict[str, Any]:
    return {"meeting": meeting, "organizer": meeting.organizer, "when": written(meeting)}


def written(meeting: Meeting) -> str:
    """Return the time range in the company's format, in the meeting's own time zone."""
    zone = zone_of(meeting.timezone)
    start, end = meeting.starts_at.astimezone(zone), meeting.ends_at.astimezone(zone)
    formats = replace(formats_of(meeting.company_id), timezone=zone.key)
    until = formats.time(end) if start.date() == end.date() else formats.datetime(end)
    offset = start.utcoffset()
    label = Offset(zone.key, int(offset.total_seconds() // 60) if offset else 0).label
    return f"{formats.datetime(start)} – {until} {label}"


def _to_remind() -> QuerySet[Meeting]:
    return Meeting.objects.filter(status=Meeting.Status.SCHEDULED).select_related("organizer")


def _letters(meeting: Reminded) -> list[Letter]:
    """The mails to the organizer and the members among the attendees, unless the meeting is over."""
    assert isinstance(meeting, Meeting)
    if meeting.ends_at <= timezone.now():
        return []
    attending = Member.objects.filter(
        pk__in=MeetingAttendee.objects.filter(meeting=meeting, member__isnull=False).values("member")
    )
    people = {member.pk: member for member in (meeting.organizer, *attending.order_by("pk")) if member.status in ACTIVE}
    return [Letter(member.email, {**_facts(meeting), "name": member.name}) for member in people.values()]


REMINDER = Reminder(_to_remind, "meeting_reminder", _letters)
