"""The work of calendars."""

from __future__ import annotations

from core.events import EventConsumer
from core.jobs import QueueWork, register
from outreach.connections.calendars.busy_times import ask_due, due_connections
from outreach.connections.calendars.event_sync import MEETING_EVENTS, note_meetings, write_due
from outreach.connections.calendars.models import CalendarConnection, CalendarEvent
from outreach.connections.calendars.queues import BUSY, EVENTS

WANTED = "EXISTS (SELECT FROM outreach_calendarconnection c WHERE c.company_id = %(company)s AND c.is_active)"
"""A company without connected calendars pays nothing for them."""

register(EventConsumer("calendars", note_meetings, kinds=MEETING_EVENTS, where=WANTED))
register(
    QueueWork(
        EVENTS,
        write_due,
        queue="bulk",
        task="outreach.write_calendar_events",
        model=CalendarEvent,
    )
)
register(
    QueueWork(
        BUSY,
        ask_due,
        due_rows=due_connections,
        queue="bulk",
        task="outreach.read_busy_times",
        model=CalendarConnection,
    )
)
