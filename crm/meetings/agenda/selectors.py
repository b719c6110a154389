"""Meetings and tasks of members within a period, read in three statements for any number."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from accounts.models import Member
from core.errors import InvalidFormat, NamedError
from core.text.timezones import zone_of
from core.types import JsonObject, Values
from crm.activities.models import FollowUp
from crm.activities.participants import check_member
from crm.activities.tasks import live_tasks
from crm.meetings.models import Meeting, MeetingAttendee
from crm.meetings.services import MAX_DURATION
from crm.records.datetimes import YEARS, company_timezone, read_datetime
from crm.teams.models import Team, TeamMember
from crm.teams.services import not_found as no_team

MAX_MEETINGS = 1000
MAX_SPAN = timedelta(days=92)
USUAL_SPAN = timedelta(days=7)
MEETING, FOLLOW_UP = "meeting", "followUp"
ENTRY_KINDS = (MEETING, FOLLOW_UP)


@dataclass(frozen=True)
class CalendarQuery:
    """The times and the kinds that a calendar is asked for. `members` of None are all."""

    start: datetime
    end: datetime
    kinds: Collection[str]
    members: Collection[str] | None = None


def read_asked(params: Values) -> CalendarQuery:
    """Read a calendar's query. Raises InvalidFormat, InvalidInput_400, MemberNotFound_404, TeamNotFound_400."""
    start = _moment("from", params["from"]) if params.get("from") else _start_of(timezone.now().date())
    end = _moment("to", params["to"]) if params.get("to") else start + USUAL_SPAN
    if not start < end <= start + MAX_SPAN:
        raise NamedError("InvalidInput_400", f"comes after from, and at most {MAX_SPAN.days} days after it", field="to")
    kinds = [kind.strip() for kind in str(params.get("kinds") or "").split(",") if kind.strip()] or list(ENTRY_KINDS)
    if unknown := [kind for kind in kinds if kind not in ENTRY_KINDS]:
        raise InvalidFormat("kinds", unknown[0], f"{' and '.join(ENTRY_KINDS)}, separated by commas", field="kinds")
    return CalendarQuery(start, end, kinds, _members(params.get("member"), params.get("team")))


def _members(member: str | None, team: str | None) -> Collection[str] | None:
    member_ids: set[str] | None = None
    if team:
        member_ids = set(TeamMember.objects.filter(team_id=team).values_list("member_id", flat=True))
        if not member_ids and not Team.objects.filter(pk=team).exists():
            raise no_team()
    if member:
        existing = Member.objects.filter(pk=member).values_list("pk", flat=True).first()
        if existing is None:
            check_member("member", member)
        member_ids = {member} if member_ids is None else member_ids & {member}
    return member_ids


def _moment(name: str, text: str) -> datetime:
    """Read a day, as its beginning where the company is, or a time."""
    try:
        day = date.fromisoformat(text.strip())
    except ValueError:
        return read_datetime(name, text)
    if day.year not in YEARS:
        raise InvalidFormat(name, text, f"the year is one from {YEARS.start} to {YEARS.stop - 1}", field=name)
    return _start_of(day)


def _start_of(day: date) -> datetime:
    return datetime.combine(day, time(), zone_of(company_timezone()))


def entries(query: CalendarQuery) -> tuple[list[JsonObject], bool]:
    """Return the entries by time, and whether there are more than are returned."""
    calendar_entries: list[JsonObject] = []
    is_cut = False
    for kind, reader in ((MEETING, _meetings), (FOLLOW_UP, _follow_ups)):
        rows = reader(query) if kind in query.kinds else []
        is_cut = is_cut or len(rows) > MAX_MEETINGS
        calendar_entries += rows[:MAX_MEETINGS]
    calendar_entries.sort(key=lambda entry: (entry["startsAt"], entry["_id"]))
    return calendar_entries[:MAX_MEETINGS], is_cut or len(calendar_entries) > MAX_MEETINGS


def _meetings(query: CalendarQuery) -> list[JsonObject]:
    rows = Meeting.objects.filter(
        status=Meeting.Status.SCHEDULED,
        starts_at__lt=query.end,
        starts_at__gt=query.start - MAX_DURATION,  # no meeting takes longer, so the index is read from here
        ends_at__gt=query.start,
    )
    if query.members is not None:
        attended = MeetingAttendee.objects.filter(meeting=OuterRef("pk"), member_id__in=query.members)
        rows = rows.filter(Q(organizer_id__in=query.members) | Exists(attended))
    shown = list(rows.select_related("organizer").order_by("starts_at", "pk")[: MAX_MEETINGS + 1])
    attending: dict[str, list[str]] = {}
    attendees = MeetingAttendee.objects.filter(meeting__in=[row.pk for row in shown], member__isnull=False)
    for meeting, member in attendees.order_by("pk").values_list("meeting_id", "member_id"):
        attending.setdefault(meeting, []).append(member)
    return [
        {
            "_id": row.pk,
            "kind": MEETING,
            "title": row.title,
            "startsAt": row.starts_at,
            "endsAt": row.ends_at,
            "member": _snapshot(row.organizer),
            "members": list(dict.fromkeys([row.organizer_id, *attending.get(row.pk, [])])),
            "meetingKind": row.kind,
            "place": row.place,
            "link": row.link,
            "lead": row.lead_id,
            "contact": row.contact_id,
        }
        for row in shown
    ]


def _follow_ups(query: CalendarQuery) -> list[JsonObject]:
    rows = live_tasks().filter(status=FollowUp.Status.OPEN, due_at__gte=query.start, due_at__lt=query.end)
    if query.members is not None:
        rows = rows.filter(assignee_id__in=query.members)
    shown = rows.select_related("assignee", "lead").order_by("due_at", "pk")[: MAX_MEETINGS + 1]
    return [
        {
            "_id": follow_up.pk,
            "kind": FOLLOW_UP,
            "title": follow_up.title,
            "startsAt": follow_up.due_at,
            "endsAt": follow_up.due_at,
            "member": _snapshot(follow_up.assignee) if follow_up.assignee else None,
            "members": [follow_up.assignee_id] if follow_up.assignee_id else [],
            "meetingKind": "",
            "place": "",
            "link": "",
            "lead": follow_up.lead_id,
            "contact": follow_up.lead.contact_id if follow_up.lead else follow_up.contact_id,
        }
        for follow_up in shown
    ]


def _snapshot(member: Member) -> dict[str, str]:
    return {"_id": member.pk, "name": member.name, "email": member.email}
