"""Meetings in their organizers' calendars. Each event is a row, and a worker retries until it is written."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from datetime import timedelta
from time import monotonic
from typing import Any

from django.db import transaction
from django.db.models import Case, F, Value, When
from django.utils import timezone

from core.events.models import Event
from core.jobs import notify_workers
from core.jobs.leases import LeaseLost, backoff_delay, claim, update_owned
from core.tenancy import company_scope
from core.types import JsonObject
from crm.meetings.models import Meeting
from crm.meetings.services import set_link
from outreach.connections.calendars.google import KEY, CalendarFailed, delete_event, event_id, read_link, write_event
from outreach.connections.calendars.models import CalendarConnection, CalendarEvent
from outreach.connections.calendars.notices import record_failure
from outreach.connections.calendars.queues import BUSY, EVENTS

log = logging.getLogger(__name__)
Work = CalendarEvent.Work
MAX_POLLS = 12
"""Maximum number of queries for a link that is not ready."""
NO_LINK = "Google has made no link for this call."
MEETING_EVENTS = ("meeting.created", "meeting.updated", "meeting.cancelled")


def note_meetings(events: Sequence[Event]) -> None:
    """Queue the events' meetings to be written: the consumer, in the transaction that ends their delivery."""
    ids = sorted({event.object_id for event in events})
    meetings = list(Meeting.objects.filter(pk__in=ids).values_list("pk", "organizer_id"))
    organizers = {organizer for _, organizer in meetings}
    rows = CalendarConnection.objects.filter(member_id__in=organizers, is_active=True)
    connections = dict(rows.values_list("member_id", "pk"))
    calendar_events = [
        CalendarEvent(meeting_id=id, connection_id=connections[organizer], version=0)
        for id, organizer in meetings
        if organizer in connections
    ]
    if not calendar_events:
        return
    CalendarEvent.objects.bulk_create(calendar_events, ignore_conflicts=True)
    now = timezone.now()
    # One that a worker is writing stays its own; it looks at the version when it is done.
    status = Case(When(status=Work.RUNNING, then=Value(Work.RUNNING)), default=Value(Work.WAITING))
    changed = CalendarEvent.objects.filter(
        meeting__in=[calendar_event.meeting_id for calendar_event in calendar_events]
    )
    changed.update(version=F("version") + 1, status=status, due_at=now, attempts=0, link_asks=0, updated_at=now)
    notify_workers(EVENTS)


def write_due(deadline: float) -> None:
    """Write due meetings until none is left or monotonic() passes the deadline."""
    while monotonic() < deadline:
        rows = claim(CalendarEvent, limit=1)
        if not rows:
            return
        with company_scope(rows[0].company_id):
            _write(rows[0])


def _write(row: CalendarEvent) -> None:
    connection = CalendarConnection.objects.filter(pk=row.connection_id).first()
    meeting = Meeting.objects.filter(pk=row.meeting_id).first()
    if connection is None or meeting is None or not connection.is_active:
        CalendarEvent.objects.filter(pk=row.pk, lease=row.lease).delete()
        return
    try:
        if connection.needs_login:
            _put_off(row, meeting, connection, CalendarFailed("Google takes the log-in no more."), timedelta(hours=1))
        elif meeting.status == Meeting.Status.CANCELLED:
            delete_event(connection, meeting.pk)
            _settle(row, written="", written_at=None)
        else:
            _write_one(row, meeting, connection)
    except CalendarFailed as failed:
        try:
            _put_off(row, meeting, connection, failed)
        except LeaseLost:
            return
    except LeaseLost:
        return


def _write_one(row: CalendarEvent, meeting: Meeting, connection: CalendarConnection) -> None:
    body = event_body(meeting)
    seen, link = _hash(body), ""
    waits = meeting.video_provider == KEY and not meeting.link
    if seen != row.written:
        link = write_event(connection, meeting.pk, body, known=row.written_at is not None).link
        CalendarConnection.objects.filter(pk=connection.pk).update(due_at=timezone.now())
    elif waits:
        link = read_link(connection, meeting.pk)
    there: JsonObject = {"written": seen, "written_at": row.written_at or timezone.now()}
    if waits and not link and row.link_asks + 1 < MAX_POLLS:
        there |= {"link_asks": row.link_asks + 1, "status": Work.WAITING}
        update_owned(
            row, **there, worker=None, deaths=0, due_at=timezone.now() + backoff_delay(row.link_asks + 1, most=300)
        )
        return
    # The event's row and the meeting's link commit together, or the link would be lost.
    with transaction.atomic():
        _settle(row, **there)
        if waits:
            set_link(id=meeting.pk, provider=KEY, link=link, error="" if link else NO_LINK)


def event_body(meeting: Meeting) -> JsonObject:
    """Return the meeting as Google takes an event. A link that Google makes is not repeated in it."""
    own_link = "" if meeting.video_provider == KEY else meeting.link
    body: JsonObject = {
        "summary": meeting.title,
        "description": "\n\n".join(part for part in (meeting.description, own_link) if part),
        "location": meeting.place or own_link,
        "start": {"dateTime": meeting.starts_at.isoformat(), "timeZone": meeting.timezone},
        "end": {"dateTime": meeting.ends_at.isoformat(), "timeZone": meeting.timezone},
        "status": "confirmed",
    }
    if meeting.video_provider == KEY:
        request = {"requestId": event_id(meeting.pk), "conferenceSolutionKey": {"type": "hangoutsMeet"}}
        body["conferenceData"] = {"createRequest": request}
    return body


def _hash(body: JsonObject) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _settle(row: CalendarEvent, **values: Any) -> None:
    """Store the state of the written event. An event that has changed since then waits to be written again. Raises
    LeaseLost."""
    status = Case(When(version=row.version, then=Value(Work.DONE)), default=Value(Work.WAITING))
    update_owned(row, **values, status=status, worker=None, deaths=0, attempts=0, error="", due_at=timezone.now())
    notify_workers(BUSY)


def _put_off(
    row: CalendarEvent,
    meeting: Meeting,
    connection: CalendarConnection,
    failed: CalendarFailed,
    wait: timedelta | None = None,
) -> None:
    """Schedule another attempt. An event that Google permanently refuses fails until the meeting changes. Raises
    LeaseLost."""
    lasting = not failed.temporary and not failed.refused
    due_at = timezone.now() + (wait or backoff_delay(min(row.attempts, 11)))
    with transaction.atomic():
        status = Case(
            When(version=row.version, then=Value(Work.FAILED if lasting else Work.WAITING)), default=Value(Work.WAITING)
        )
        update_owned(row, status=status, worker=None, deaths=0, error=failed.detail[:500], due_at=due_at)
        record_failure(connection, failed)
        if meeting.video_provider == KEY and not meeting.link:
            set_link(id=meeting.pk, provider=KEY, error=failed.detail)
