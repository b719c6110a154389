"""Meetings: appointments of members with others, who are invited by mail."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import Member
from core.access import reserve_quota
from core.errors import NamedError
from core.events import emit
from core.lists import BulkSelection, in_batches
from core.types import JsonObject, Values
from crm.activities.participants import check_contact, check_lead, check_member, first_active
from crm.activities.reminders import schedule_reminder
from crm.activities.text import one_line, several_lines
from crm.meetings.attendees import Attendance, Given, attendees_of, replace_attendees
from crm.meetings.icalendar import Method, calendar_file
from crm.meetings.mails import MeetingMails
from crm.meetings.models import Meeting, MeetingAttendee, VideoSettings
from crm.meetings.providers.registry import provider_of
from crm.records.datetimes import check_timezone, company_timezone, read_datetime
from crm.records.writes.updates import Changes, event_value

Status = Meeting.Status
MAX_DURATION = timedelta(days=7)
MAILED_FIELDS = ("title", "description", "starts_at", "ends_at", "timezone", "place", "link")
"""The meeting's values in mails: a change of one of them notifies all participants."""
TAKEN_OVER = ("timezone", "lead", "contact", "remind_minutes", "link", "kind", "result")
"""Values that are written as they are given."""
LINKS = {"lead": check_lead, "contact": check_contact}
EVENT_NAMES = {
    "starts_at": "startsAt",
    "ends_at": "endsAt",
    "remind_minutes": "remindMinutes",
    "video_provider": "videoProvider",
}
"""Names of values in events, where they differ from the model's."""
BATCH = 100


@dataclass(frozen=True)
class Planned:
    """A created or changed meeting. `warning` lists the mails that were not sent, with the reasons; empty if all
    were sent."""

    meeting: Meeting
    warning: str = ""


@dataclass(frozen=True)
class Cancelled:
    """The number of cancelled meetings, and which mails did not go out."""

    count: int
    warning: str = ""


@transaction.atomic
def create_meeting(
    *,
    actor_id: str | None,
    values: Values,
    attendees: Sequence[Given] = (),
    automation: bool = True,
    invite: bool = True,
) -> Planned:
    """Create a meeting and invite all participants unless it is over. Without `invite` the caller does, by
    `send_invitations`.

    `starts_at` and `ends_at` are text (crm.records.datetimes) in the time zone `timezone` (default: the company's);
    `duration_minutes` may replace `ends_at`. The default organizer is the member who creates the meeting, or an owner
    if that member has left.

    Raises LeadNotFound_400, ContactNotFound_400, MemberNotFound_404, MemberNotAccepted_400 and InvalidTimezone_400.
    Raises InvalidInput_400, InvalidFormat, PlanLimitExceeded_403 and the errors of replace_attendees.
    """
    reserve_quota("meeting")
    meeting = Meeting(
        organizer=_organizer(values.get("organizer"), actor_id), created_by_id=actor_id, updated_by_id=actor_id
    )
    values = {"timezone": company_timezone(), **values}
    if "kind" not in values and (values.get("link") or values.get("video_provider")):
        values["kind"] = Meeting.Kind.ONLINE
    _apply(meeting, values)
    schedule_reminder(meeting, meeting.starts_at)
    meeting.save()
    present = replace_attendees(meeting, attendees).present
    _emit("meeting.created", [meeting], actor_id, automation, {meeting.pk: _contacts(present, "created")})
    return Planned(meeting, send_invitations(meeting, present) if invite else "")


def send_invitations(meeting: Meeting, present: Sequence[MeetingAttendee] | None = None) -> str:
    """Invite all participants, unless the meeting is over. Returns which mails did not go out."""
    mails = MeetingMails()
    if meeting.ends_at > timezone.now():
        present = attendees_of(meeting) if present is None else present
        mails.invite(meeting, present, [meeting.organizer, *present])
    return mails.warning


def video_provider_of_company() -> str:
    """Return the company's default provider of video links; empty for none."""
    return VideoSettings.objects.values_list("provider", flat=True).first() or ""


@transaction.atomic
def set_link(*, id: str, provider: str, link: str = "", error: str = "") -> None:
    """Write the link that a provider has created since into the meeting, and notify its people; or the reason for none.

    A meeting that is cancelled, or has another provider or link by now, stays.
    """
    # The provider has answered outside of any transaction. The meeting may have been changed meanwhile.
    rows = Meeting.objects.select_for_update(of=("self",)).filter(pk=id, video_provider=provider, link="")
    meeting = rows.select_related("organizer").filter(status=Status.SCHEDULED).first()
    if meeting is None:
        return
    if not link:
        Meeting.objects.filter(pk=id).exclude(video_error=error[:500]).update(video_error=error[:500])
        return
    Meeting.objects.filter(pk=id).update(video_error="")
    update_meeting(id=id, actor_id=None, values={"link": link, "by_provider": True})


@transaction.atomic
def update_meeting(
    *,
    id: str,
    actor_id: str | None,
    values: Values,
    attendees: Sequence[Given] | None = None,
    automation: bool = True,
) -> Planned:
    """Change the given values of a scheduled meeting. A new start without an end keeps the meeting's length.

    Mails go to all participants if one of MAILED_FIELDS changes, otherwise to the added and removed attendees. Raises
    NotFound_404, BadRequest_400 for a cancelled meeting, and the errors of create_meeting.
    """
    meeting = Meeting.objects.select_for_update(of=("self",)).select_related("organizer").filter(pk=id).first()
    if meeting is None:
        raise not_found()
    if meeting.status != Status.SCHEDULED:
        raise NamedError(
            "BadRequest_400", "the meeting is cancelled, and its people have been told; make a new one", field="id"
        )
    # Kept before the change: a meeting that is moved into the past was still ahead for its people.
    relevant_until = meeting.ends_at
    changes = _apply(meeting, values)
    attendance = (
        Attendance(attendees_of(meeting), [], []) if attendees is None else replace_attendees(meeting, attendees)
    )
    all_notified = any(EVENT_NAMES.get(name, name) in changes for name in MAILED_FIELDS)
    if attendance.added or attendance.removed:
        changes["attendees"] = {"added": _emails(attendance.added), "removed": _emails(attendance.removed)}
    if not changes:
        return Planned(meeting)
    if changes.keys() & {"startsAt", "endsAt"}:
        # They answered for another time.
        MeetingAttendee.objects.filter(meeting=meeting).update(answer="", answered_at=None)
    if changes.keys() & {"startsAt", "remindMinutes"}:
        schedule_reminder(meeting, meeting.starts_at)
    if all_notified or "attendees" in changes:
        meeting.sequence += 1
    meeting.updated_by_id = actor_id
    meeting.save()
    mails = MeetingMails()
    if max(relevant_until, meeting.ends_at) > timezone.now():
        _send_mails(mails, meeting, attendance, all_notified)
    contacts = {
        **(_contacts(attendance.present, "updated") if changes.keys() - {"attendees"} else {}),
        **_contacts(attendance.added, "invited"),
        **_contacts(attendance.removed, "removed"),
    }
    _emit("meeting.updated", [meeting], actor_id, automation, {meeting.pk: contacts}, changes=changes)
    return Planned(meeting, mails.warning)


@transaction.atomic
def cancel_meetings(
    *,
    actor_id: str | None,
    selection: BulkSelection,
    within: QuerySet[Meeting] | None = None,
    automation: bool = True,
) -> Cancelled:
    """Cancel the selected scheduled meetings (of those `within`) and notify their participants unless the meeting is
    over.

    Raises NotFound_404 if ids select none.
    """
    cancelled, mails = 0, MeetingMails()
    scheduled = (Meeting.objects.all() if within is None else within).filter(status=Status.SCHEDULED)
    for ids in in_batches(selection.apply(scheduled), BATCH, lock=True):
        meetings = list(Meeting.objects.filter(pk__in=ids).select_related("organizer").order_by("pk"))
        attendees: dict[str, list[MeetingAttendee]] = defaultdict(list)
        for attendee in MeetingAttendee.objects.filter(meeting_id__in=ids).order_by("pk"):
            attendees[attendee.meeting_id].append(attendee)
        for meeting in meetings:
            meeting.status = Status.CANCELLED
            meeting.updated_by_id = actor_id
            meeting.updated_at = timezone.now()
            meeting.sequence += 1
            if meeting.ends_at > timezone.now():
                mails.cancel(meeting, attendees[meeting.pk], whole=True)
        Meeting.objects.bulk_update(meetings, ("status", "sequence", "updated_by", "updated_at"))
        contacts = {meeting.pk: _contacts(attendees[meeting.pk], "cancelled") for meeting in meetings}
        _emit("meeting.cancelled", meetings, actor_id, automation, contacts)
        cancelled += len(meetings)
    if not cancelled and not selection.everything:
        raise NamedError("NotFound_404", "none of them is a scheduled meeting of this company", field="ids")
    return Cancelled(cancelled, mails.warning)


def meeting_file(*, id: str) -> str:
    """Return the meeting as an iCalendar file to keep. Raises NotFound_404."""
    meeting = Meeting.objects.select_related("organizer").filter(pk=id).first()
    if meeting is None:
        raise not_found()
    return calendar_file(meeting, attendees_of(meeting), Method.PUBLISH)


def not_found() -> NamedError:
    """Return the error for an id that belongs to no meeting of the company."""
    return NamedError("NotFound_404", "there is no such meeting in this company", field="id")


def _organizer(id: str | None, actor_id: str | None) -> Member:
    if id is not None:
        return check_member("organizer", id)
    member = first_active(actor_id) or Member.objects.filter(status=Member.Status.OWNER).order_by("pk").first()
    if member is None:
        raise NamedError("MemberNotFound_404", "choose a member", field="organizer")
    return member


def _apply(meeting: Meeting, values: Values) -> Changes:
    """Set the meeting's own values. Returns the differences, named as in events."""
    cleaned = {name: values[name] for name in TAKEN_OVER if name in values}
    cleaned |= {name: one_line(values[name]) for name in ("title", "place") if name in values}
    if "description" in values:
        cleaned["description"] = several_lines(values["description"])
    if cleaned.get("title") == "":
        raise NamedError("InvalidInput_400", "enter a title", field="title")
    if "timezone" in cleaned:
        check_timezone(cleaned["timezone"])
    cleaned |= _times(meeting, values, cleaned.get("timezone", meeting.timezone)) | _video(meeting, values)
    if cleaned.get("starts_at", meeting.starts_at) > timezone.now():
        if cleaned.get("result"):
            raise NamedError("InvalidInput_400", "the meeting has not begun", field="result")
        cleaned["result"] = ""
    changes: Changes = {}
    for name, value in cleaned.items():
        column = f"{name}_id" if name in LINKS else name
        before = getattr(meeting, column)
        if before == value:
            continue
        if name in LINKS and value:
            LINKS[name](value)
        setattr(meeting, column, value)
        changes[EVENT_NAMES.get(name, name)] = {"from": event_value(before), "to": event_value(value)}
    if LINKS.keys() & changes.keys():
        _check_same_person(meeting)
    return changes


def _check_same_person(meeting: Meeting) -> None:
    """Raise InvalidInput_400 where a meeting would be with a lead and with a contact who is not the lead's."""
    if meeting.lead_id and meeting.contact_id and meeting.lead.contact_id != meeting.contact_id:
        message = f"{meeting.contact_id} is not the contact of the lead; leave it out, or name the lead's"
        raise NamedError("InvalidInput_400", message, field="contact")


def _video(meeting: Meeting, values: Values) -> dict[str, str]:
    """Return provider and link, where a provider is given: the link that it makes, or none before a worker knows it.

    A link that is given by hand is no provider's.
    """
    provider = values.get("video_provider")
    if provider and values.get("link"):
        raise NamedError(
            "InvalidInput_400", "choose a link or a video service, not both", field=("link", "videoProvider")
        )
    if provider is None or provider == meeting.video_provider:
        by_hand = "link" in values and not values.get("by_provider") and values["link"] != meeting.link
        return {"video_provider": ""} if by_hand else {}
    meeting.video_error = ""
    if not provider:
        return {"video_provider": ""}
    link = provider_of(provider, meeting.organizer_id).link(meeting)
    return {"video_provider": provider, "link": link, "kind": Meeting.Kind.ONLINE}


def _times(meeting: Meeting, values: Values, zone: str) -> dict[str, datetime]:
    """Return the start and the end, as far as they are given."""
    if not values.keys() & {"starts_at", "ends_at", "duration_minutes"}:
        return {}
    if "ends_at" in values and "duration_minutes" in values:
        raise NamedError(
            "InvalidInput_400", "enter an end or a duration, not both", field=("endsAt", "durationMinutes")
        )
    start = read_datetime("startsAt", values["starts_at"], zone) if "starts_at" in values else meeting.starts_at
    if "ends_at" in values:
        end = read_datetime("endsAt", values["ends_at"], zone)
    elif "duration_minutes" in values:
        end = start + timedelta(minutes=values["duration_minutes"])
    elif meeting.ends_at is None:
        raise NamedError("InvalidInput_400", "enter an end or a duration", field=("endsAt", "durationMinutes"))
    else:
        end = start + (meeting.ends_at - meeting.starts_at)
    if end <= start:
        raise NamedError("InvalidInput_400", "enter an end after the start", field="endsAt")
    if end - start > MAX_DURATION:
        raise NamedError(
            "InvalidInput_400", f"choose an end at most {MAX_DURATION.days} days after the start", field="endsAt"
        )
    return {"starts_at": start, "ends_at": end}


def _send_mails(mails: MeetingMails, meeting: Meeting, attendance: Attendance, all_notified: bool) -> None:
    if attendance.removed:
        mails.cancel(meeting, attendance.removed, whole=False)
    if all_notified:
        new = {attendee.pk for attendee in attendance.added}
        existing = [attendee for attendee in attendance.present if attendee.pk not in new]
        mails.invite(meeting, attendance.present, [meeting.organizer, *existing], changed=True)
    if attendance.added:
        mails.invite(meeting, attendance.present, attendance.added)


def _emails(attendees: Sequence[MeetingAttendee]) -> list[str]:
    return [attendee.email for attendee in attendees]


def _contacts(attendees: Sequence[MeetingAttendee], event: str) -> dict[str, str]:
    """Return contact -> the event, for the contacts among the attendees."""
    return {attendee.contact_id: event for attendee in attendees if attendee.contact_id}


def event_payload(meeting: Meeting) -> JsonObject:
    """Return the payload of the event of a new meeting."""
    return _payload(meeting, _contacts(attendees_of(meeting), "created"))


def _payload(meeting: Meeting, contacts: Mapping[str, str]) -> JsonObject:
    others = {id: event for id, event in contacts.items() if id != meeting.contact_id}
    return {
        "lead": meeting.lead_id,
        "contact": meeting.contact_id,
        "title": meeting.title,
        "startsAt": event_value(meeting.starts_at),
        "endsAt": event_value(meeting.ends_at),
        **({"contacts": others} if others else {}),
    }


def _emit(
    kind: str,
    meetings: Sequence[Meeting],
    actor_id: str | None,
    automation: bool,
    contacts: Mapping[str, Mapping[str, str]],
    **details: Any,
) -> None:
    payloads = {meeting.pk: {**_payload(meeting, contacts[meeting.pk]), **details} for meeting in meetings}
    emit(kind, list(payloads), payloads=payloads, actor_id=actor_id, automation=automation)
