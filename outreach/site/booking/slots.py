"""The times that a page offers: in the hours of its members, where nothing else keeps them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from accounts.models import Member
from accounts.settings.formats import formats_of
from core.text.timezones import zone_of
from crm.meetings.models import Meeting, MeetingAttendee
from crm.meetings.services import MAX_DURATION
from crm.teams.models import TeamMember
from crm.teams.services import ACTIVE
from outreach.connections.calendars.selectors import busy_of
from outreach.site.booking.hours import WORKING, Hours, Span, overlaps, without
from outreach.site.booking.models import Booking, BookingPage, MemberHours

MAX_BUFFER = timedelta(minutes=240)
MAX_MEMBERS = 50
SCHEDULED = Meeting.Status.SCHEDULED


def members_of(page: BookingPage) -> list[Member]:
    """Return the bookable members of the page: its own, or the available ones of its team."""
    people = Member.objects.filter(status__in=ACTIVE, user__is_active=True)
    if page.member_id:
        return list(people.filter(pk=page.member_id))
    links = TeamMember.objects.filter(team_id=page.team_id, is_available=True) if page.team_id else None
    if links is None:
        return []
    return list(people.filter(pk__in=links.values("member_id")).order_by("pk")[:MAX_MEMBERS])


def hours_of(page: BookingPage, members: Collection[str]) -> dict[str, Hours]:
    """Return member -> when they can be booked on the page."""
    company = formats_of(page.company_id).timezone
    rows = {row.member_id: row for row in MemberHours.objects.filter(member_id__in=members)}
    hours = {}
    for member in members:
        own = rows.get(member)
        away = own.away if own else []
        if page.days:
            hours[member] = Hours(zone_of(page.timezone or company), page.days, away)
        else:
            zone = (own.timezone if own else "") or company
            hours[member] = Hours(zone_of(zone), own.days if own else WORKING, away)
    return hours


def zone_name(page: BookingPage) -> str:
    """Return the time zone that the page is shown in, where its visitor names none."""
    company = formats_of(page.company_id).timezone
    if page.days:
        return page.timezone or company
    own = MemberHours.objects.filter(member_id=page.member_id).values_list("timezone", flat=True).first()
    return own or company


def busy_times(members: Collection[str], start: datetime, end: datetime, besides: str = "") -> dict[str, list[Span]]:
    """Return member -> busy times: meetings here, with the buffers around booked ones, and entries of connected
    calendars.

    `besides` is a meeting that does not count.
    """
    # A meeting outside of the span may reach into it with its buffer.
    start, end = start - MAX_BUFFER, end + MAX_BUFFER
    rows = Meeting.objects.filter(
        status=SCHEDULED,
        starts_at__lt=end,
        starts_at__gt=start - MAX_DURATION,  # no meeting takes longer, so the index is read from here
        ends_at__gt=start,
    )
    # Members are busy in meetings of others as well, unless they have declined.
    attending = MeetingAttendee.objects.filter(member_id__in=members).exclude(answer=MeetingAttendee.Answer.DECLINED)
    taken = {
        (meeting, member)
        for meeting, member in attending.filter(meeting__in=rows).values_list("meeting_id", "member_id")
    }
    mine = rows.filter(Q(organizer_id__in=members) | Q(pk__in=[meeting for meeting, _ in taken]))
    meetings = {
        pk: (organizer, span) for pk, organizer, *span in mine.values_list("pk", "organizer_id", "starts_at", "ends_at")
    }
    taken |= {(pk, organizer) for pk, (organizer, _) in meetings.items() if organizer in members}
    booked = Booking.objects.filter(meeting__in=list(meetings))
    buffers = {
        pk: tuple(map(_minutes, both))
        for pk, *both in booked.values_list("meeting_id", "buffer_before", "buffer_after")
    }
    busy: dict[str, list[Span]] = defaultdict(list)
    own: Span | None = None
    for pk, member in taken:
        begins, ends = meetings[pk][1]
        if pk == besides:
            own = begins, ends
            continue
        before, after = buffers.get(pk, (timedelta(), timedelta()))
        busy[member].append((begins - before, ends + after))
    for member, spans in busy_of(members, start, end).items():
        # The meeting that is moved stands in the calendar, too.
        busy[member] += without(spans, own) if own else spans
    return busy


def _minutes(number: int) -> timedelta:
    return timedelta(minutes=number)


def booking_window(page: BookingPage, now: datetime | None = None) -> Span:
    """Return the times between which bookings of the page begin."""
    now = now or timezone.now()
    return now + timedelta(minutes=page.notice_minutes), now + timedelta(days=page.horizon_days)


def free_slots(
    page: BookingPage, start: datetime, end: datetime, *, besides: str = "", members: Sequence[Member] | None = None
) -> dict[datetime, list[str]]:
    """Return the times of the span at which a booking may begin -> the members who are free then, by time."""
    first, last = booking_window(page)
    start, end = max(start, first), min(end, last)
    if start >= end:
        return {}
    people = [entry.pk for entry in (members_of(page) if members is None else members)]
    if not people:
        return {}
    length, step = timedelta(minutes=page.duration_minutes), timedelta(minutes=page.step_minutes)
    before, after = timedelta(minutes=page.buffer_before), timedelta(minutes=page.buffer_after)
    hours = hours_of(page, people)
    busy = busy_times(people, start, end + length, besides)
    # Only where there is a limit, since it costs a query.
    full = _full_days(page, people, hours, start, end, besides) if page.most_per_day else {}
    slots: dict[datetime, list[str]] = defaultdict(list)
    for member in people:
        spans = sorted(busy.get(member, ()))
        for opening in hours[member].openings(start, end, length):
            at = opening.begins
            # Only entries near the opening are compared with each of its times.
            over = min(opening.ends, opening.last + length) + after
            near = [entry for entry in spans if entry[0] < over and entry[1] > opening.begins - before]
            while at < opening.last and at + length <= opening.ends and at < end:
                is_full = at.astimezone(hours[member].zone).date() in full.get(member, ())
                if at >= start and not is_full and not overlaps(near, at - before, at + length + after):
                    # In UTC, so that the same moment of members in several zones is one time.
                    slots[at.astimezone(UTC)].append(member)
                at += step
    return dict(sorted(slots.items()))


def _full_days(
    page: BookingPage,
    members: Collection[str],
    hours: Mapping[str, Hours],
    start: datetime,
    end: datetime,
    besides: str,
) -> dict[str, set[object]]:
    """Return member -> the days on which they have as many bookings of the page as they may."""
    rows = Booking.objects.filter(
        page=page,
        member_id__in=members,
        meeting__status=SCHEDULED,
        # Days are the member's, whose zone may be far from UTC.
        meeting__starts_at__gt=start - timedelta(days=2),
        meeting__starts_at__lt=end + timedelta(days=2),
    ).exclude(meeting_id=besides or None)
    counts: dict[tuple[str, object], int] = defaultdict(int)
    for member, begins in rows.values_list("member_id", "meeting__starts_at"):
        counts[member, begins.astimezone(hours[member].zone).date()] += 1
    days: dict[str, set[object]] = defaultdict(set)
    for (member, day), number in counts.items():
        if number >= (page.most_per_day or 0):
            days[member].add(day)
    return days
