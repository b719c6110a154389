"""Answers to invitations, which calendars send (iTIP REPLY, RFC 5546)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from icalendar import Calendar

from core.ids import is_id
from crm.meetings.models import Meeting, MeetingAttendee

OF_MEETINGS = "@meetings.leadwright"
ANSWERS = {
    "ACCEPTED": MeetingAttendee.Answer.ACCEPTED,
    "DECLINED": MeetingAttendee.Answer.DECLINED,
    "TENTATIVE": MeetingAttendee.Answer.TENTATIVE,
}
"""PARTSTAT -> answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An attendee's response."""

    meeting_id: str
    email: str
    """In lower case."""
    answer: str
    given_at: datetime | None


def read_answer(text: str) -> Answer | None:
    """Read the answer in an iCalendar file; None if it has none to one of our meetings."""
    try:
        for event in Calendar.from_ical(text).walk("VEVENT"):
            uid = str(event.get("uid", "")).strip().lower()
            attendees = event.get("attendee", [])
            for attendee in attendees if isinstance(attendees, list) else [attendees]:
                answer = ANSWERS.get(str(attendee.params.get("PARTSTAT", "")).upper())
                email = str(attendee).lower().removeprefix("mailto:").strip()
                if answer and uid.endswith(OF_MEETINGS) and is_id(uid.removesuffix(OF_MEETINGS)):
                    stamp = getattr(event.get("dtstamp"), "dt", None)
                    answered_at = stamp if isinstance(stamp, datetime) and stamp.tzinfo else None
                    return Answer(uid.removesuffix(OF_MEETINGS), email, answer, answered_at)
    except (ValueError, KeyError, AttributeError, IndexError, TypeError, RecursionError):
        return None
    return None


@transaction.atomic
def record_answer(meeting: Meeting, answer: Answer, *, sender: str) -> bool:
    """Write the answer to the attendee whose it is, by the address in it or else by who sent it. An older answer than
    the one that is known changes nothing. Returns whether it was written."""
    # Locked, since answers of one attendee may arrive by several mailboxes at once.
    attendees_by_email = {
        candidate.email.lower(): candidate
        for candidate in MeetingAttendee.objects.select_for_update(of=("self",)).filter(
            meeting=meeting, email__in=[answer.email, sender.lower()]
        )
    }
    attendee = attendees_by_email.get(answer.email) or attendees_by_email.get(sender.lower())
    given_at = min(answer.given_at or timezone.now(), timezone.now())
    if attendee is None or (attendee.answered_at is not None and attendee.answered_at >= given_at):
        return False
    attendee.answer = answer.answer
    attendee.answered_at = given_at
    attendee.save(update_fields=["answer", "answered_at", "updated_at"])
    return True
