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
from crm.activities.reminders import Reminder
from crm.meetings.icalendar import Method, calendar_file
from crm.meetings.models import Meeting, MeetingAttendee
from crm.teams.services import ACTIVE

Participant = Member | MeetingAttendee


def send_invitations(
    meeting: Meeting, attendees: Sequence[MeetingAttendee], to: Sequence[Participant], *, changed: bool = False
) -> None:
    """Invite these participants to the meeting, or tell them that it has changed; `attendees` are all attendees."""
    _send("meeting_invitation", meeting, to, calendar_file(meeting, attendees, Method.REQUEST), changed=changed)


def send_cancellations(meeting: Meeting, attendees: Sequence[MeetingAttendee], *, whole: bool) -> None:
    """Tell the attendees that they are no longer invited, and the organizer too if the whole meeting is cancelled."""
    participants: list[Participant] = [meeting.organizer, *attendees] if whole else list(attendees)
    _send("meeting_cancelled", meeting, participants, calendar_file(meeting, attendees, Method.CANCEL), whole=whole)


def _send(template: str, meeting: Meeting, participants: Sequence[Participant], calendar: str, **details: Any) -> None:
    """Send the mail to these participants, except members who no longer belong to the company."""
    context, left = {**_context(meeting), **details}, _left_members(participants)
    letters = [
        Letter(participant.email, {**context, "name": participant.name}, calendar)
        for participant in participants
        if _member_id(participant) not in left
    ]
    queue_mails(template, letters, company_id=meeting.company_id)


def _member_id(participant: Participant) -> str | None:
    return participant.pk if isinstance(participant, Member) else participant.member_id


def _left_members(participants: Sequence[Participant]) -> set[str]:
    ids = [id for id in map(_member_id, participants) if id]
    return set(Member.objects.filter(pk__in=ids).exclude(status__in=ACTIVE).values_list("pk", flat=True))


def _context(meeting: Meeting) -> dict[str, Any]:
    return {"meeting": meeting, "organizer": meeting.organizer, "when": format_times(meeting)}


def format_times(meeting: Meeting) -> str:
    """Return the time range in the company's format, in the meeting's own time zone."""
    zone = zone_of(meeting.timezone)
    start, end = meeting.starts_at.astimezone(zone), meeting.ends_at.astimezone(zone)
    formats = replace(formats_of(meeting.company_id), timezone=zone.key)
    until = formats.time(end) if start.date() == end.date() else formats.datetime(end)
    offset = start.utcoffset()
    label = Offset(zone.key, int(offset.total_seconds() // 60) if offset else 0).label
    return f"{formats.datetime(start)} – {until} {label}"


def _with_reminders() -> QuerySet[Meeting]:
    return Meeting.objects.filter(status=Meeting.Status.SCHEDULED).select_related("organizer")


def _letters(meeting: Meeting) -> list[Letter]:
    """The mails to the organizer and the members among the attendees, unless the meeting is over."""
    if meeting.ends_at <= timezone.now():
        return []
    attending = Member.objects.filter(
        pk__in=MeetingAttendee.objects.filter(meeting=meeting, member__isnull=False).values("member")
    )
    participants = {
        member.pk: member for member in (meeting.organizer, *attending.order_by("pk")) if member.status in ACTIVE
    }
    return [Letter(member.email, {**_context(meeting), "name": member.name}) for member in participants.values()]


REMINDER = Reminder(_with_reminders, "meeting_reminder", _letters)
