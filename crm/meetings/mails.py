"""Mails about meetings: invitations and cancellations with iCalendar files, and reminders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import ngettext

from accounts.mails.recipients import suppressed_recipients
from accounts.mails.services import Letter, queue_mails
from accounts.members.selectors import has_verified_owner
from accounts.models import Member
from accounts.settings.formats import formats_of
from billing.subscriptions.selectors import in_trial
from core.access.attempts import Limit
from core.hooks import Hook
from core.tenancy import company_id
from core.text.timezones import Offset, zone_of
from core.types import JsonObject
from crm.activities.reminders import Reminder
from crm.meetings.icalendar import Method, calendar_file
from crm.meetings.models import Meeting, MeetingAttendee
from crm.teams.services import ACTIVE

Participant = Member | MeetingAttendee
DAY = 24 * 3600


@dataclass(frozen=True)
class Invited:
    """Further data for a participant's mails: the address to change the meeting, and their own time zone."""

    address: str
    timezone: str = ""


meeting_mails_prepared: Hook[[Meeting], Mapping[str, Invited]] = Hook(
    __name__,
    "meeting_mails_prepared",
    "When mails about a meeting are prepared. Returns further data of its participants, by their addresses in lower"
    " case.",
)


class MeetingMails:
    """The mails of one request: its mails to members, and within limits those to people outside of the company.

    The service's own server sends them to people who have not asked for it. Therefore none are sent before an owner has
    verified their address. Their number a day is limited, and suppressed addresses get none; `warning` names the
    omitted ones.
    """

    def __init__(self) -> None:
        self._suppressed: set[str] = set()
        self._over_limit = 0
        self._unverified = False

    def invite(
        self,
        meeting: Meeting,
        attendees: Sequence[MeetingAttendee],
        to: Sequence[Participant],
        *,
        changed: bool = False,
    ) -> None:
        """Invite these participants, or notify them that the meeting has changed; `attendees` are all attendees."""
        self._send(
            "meeting_invitation", meeting, to, calendar_file(meeting, attendees, Method.REQUEST), changed=changed
        )

    def cancel(self, meeting: Meeting, attendees: Sequence[MeetingAttendee], *, whole: bool) -> None:
        """Notify the attendees that they are no longer invited, and the organizer too if the whole meeting is
        cancelled."""
        to: list[Participant] = [meeting.organizer, *attendees] if whole else list(attendees)
        self._send("meeting_cancelled", meeting, to, calendar_file(meeting, attendees, Method.CANCEL), whole=whole)

    @property
    def warning(self) -> str:
        """Return a warning about mails that were not sent, with reasons; empty if all were."""
        if self._unverified:
            return "no emails were sent; an owner must verify their email address first"
        parts = []
        if self._suppressed:
            parts.append(f"no email to {', '.join(sorted(self._suppressed))}; on the suppression list")
        if self._over_limit:
            text = ngettext(
                "%(count)s email to attendees was not sent; your company can send %(most)s in 24 hours",
                "%(count)s emails to attendees were not sent; your company can send %(most)s in 24 hours",
                self._over_limit,
            )
            parts.append(text % {"count": self._over_limit, "most": _limit().most})
        return "; ".join(parts)

    def _send(
        self, template: str, meeting: Meeting, participants: Sequence[Participant], calendar: str, **details: Any
    ) -> None:
        self._unverified = self._unverified or not has_verified_owner()
        if self._unverified:
            return
        further = meeting_mails_prepared.send(meeting)
        invited = {email: invitation for by_email in further for email, invitation in by_email.items()}
        contexts = {email: context_for(meeting, invitation) for email, invitation in invited.items()}
        plain = context_for(meeting)
        letters = [
            Letter(
                participant.email,
                {**contexts.get(participant.email.lower(), plain), **details, "name": participant.name},
                calendar,
            )
            for participant in self._mailable(participants)
        ]
        queue_mails(template, letters, company_id=meeting.company_id)

    def _mailable(self, participants: Sequence[Participant]) -> list[Participant]:
        """Return those who get the mail: no members who have left, and people outside the company within the limits."""
        left = _left_members(participants)
        outside = [participant.email.lower() for participant in participants if _member_id(participant) is None]
        unwanted = suppressed_recipients(outside)
        self._suppressed |= unwanted
        emails = [email for email in outside if email not in unwanted]
        granted = set(emails[: _limit().count_up_to(company_id(), len(emails))]) if emails else set()
        self._over_limit += len(emails) - len(granted)
        return [
            participant
            for participant in participants
            if (
                participant.email.lower() in granted
                if _member_id(participant) is None
                else _member_id(participant) not in left
            )
        ]


def _limit() -> Limit:
    most = settings.TRIAL_MEETING_MAILS_PER_DAY if in_trial() else settings.MEETING_MAILS_PER_DAY
    return Limit("meeting-mails", most, DAY)


def _member_id(participant: Participant) -> str | None:
    id: str | None = participant.pk if isinstance(participant, Member) else participant.member_id
    return id


def _left_members(participants: Sequence[Participant]) -> set[str]:
    ids = [id for id in map(_member_id, participants) if id]
    return set(Member.objects.filter(pk__in=ids).exclude(status__in=ACTIVE).values_list("pk", flat=True))


def context_for(meeting: Meeting, invited: Invited | None = None) -> JsonObject:
    """Return the context of the templates of mails about a meeting."""
    when = format_times(meeting, invited.timezone if invited else "")
    return {"meeting": meeting, "organizer": meeting.organizer, "when": when, "manage": invited and invited.address}


def format_times(meeting: Meeting, timezone: str = "") -> str:
    """Return the time range in the company's format, in a time zone: the given one, or the meeting's own."""
    zone = zone_of(timezone or meeting.timezone)
    start = meeting.starts_at.astimezone(zone)
    formats = replace(formats_of(meeting.company_id), timezone=zone.key)
    offset = start.utcoffset()
    label = zone.key
    if label != "UTC":  # whose offset is its name
        label = Offset(zone.key, int(offset.total_seconds() // 60) if offset else 0).label
    return f"{formats.span(start, meeting.ends_at)} {label}"


def _with_reminders() -> QuerySet[Meeting]:
    return Meeting.objects.filter(status=Meeting.Status.SCHEDULED).select_related("organizer")


def _letters(meeting: Meeting) -> list[Letter]:
    """Return the mails to the organizer and the members among the attendees, unless the meeting is over."""
    if meeting.ends_at <= timezone.now():
        return []
    attending = Member.objects.filter(
        pk__in=MeetingAttendee.objects.filter(meeting=meeting, member__isnull=False).values("member")
    )
    participants = {
        member.pk: member for member in (meeting.organizer, *attending.order_by("pk")) if member.status in ACTIVE
    }
    return [Letter(member.email, {**context_for(meeting), "name": member.name}) for member in participants.values()]


REMINDER = Reminder(_with_reminders, "meeting_reminder", _letters)
