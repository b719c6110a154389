"""Conflicts: other meetings of the same members at the same time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from django.db.models import Exists, OuterRef, Q

from accounts.models import Member
from accounts.settings.formats import formats_of
from core.text.formats import Formats
from core.text.timezones import zone_of
from crm.meetings.models import Meeting, MeetingAttendee
from crm.meetings.services import MAX_DURATION

MAX_CONFLICTS = 10


def conflict_warning(meeting: Meeting) -> str:
    """Describe the other scheduled meetings that the meeting's members have at the same time; empty if there are none.

    A meeting that begins when another ends does not conflict with it.
    """
    invited = MeetingAttendee.objects.filter(meeting=meeting, member__isnull=False).values_list("member_id", flat=True)
    participants = {meeting.organizer_id, *invited}
    attended = MeetingAttendee.objects.filter(meeting=OuterRef("pk"), member_id__in=participants)
    others = Meeting.objects.filter(
        status=Meeting.Status.SCHEDULED,
        starts_at__lt=meeting.ends_at,
        starts_at__gt=meeting.starts_at - MAX_DURATION,  # no meeting takes longer, so the index is read from here
        ends_at__gt=meeting.starts_at,
    )
    theirs = others.exclude(pk=meeting.pk).filter(Q(organizer_id__in=participants) | Exists(attended))
    conflicts = list(theirs.order_by("starts_at", "pk")[: MAX_CONFLICTS + 1])
    if not conflicts:
        return ""
    busy: dict[str, set[str]] = defaultdict(set)
    for other in conflicts:
        busy[other.pk].add(other.organizer_id)
    attending = MeetingAttendee.objects.filter(meeting__in=conflicts, member_id__in=participants)
    for other_id, member_id in attending.values_list("meeting_id", "member_id"):
        busy[other_id].add(member_id)
    names = {member.pk: member.name or member.email for member in Member.objects.filter(pk__in=participants)}
    formats = formats_of(meeting.company_id)
    described = [
        _describe(other, formats, sorted(names[id] for id in busy[other.pk] & participants))
        for other in conflicts[:MAX_CONFLICTS]
    ]
    return "; ".join([*described, "and more"] if len(conflicts) > MAX_CONFLICTS else described)


def _describe(other: Meeting, formats: Formats, names: list[str]) -> str:
    formats = replace(formats, timezone=zone_of(other.timezone).key)
    verb = "has" if len(names) == 1 else "have"
    when = formats.span(other.starts_at, other.ends_at)
    return f"{', '.join(names)} {verb} another meeting then: {other.title}, {when} {formats.timezone}"
