"""The registrations of calendars."""

from __future__ import annotations

from accounts.members.services import members_removed
from accounts.settings.notices import register_notice
from core.api.routes import protected
from core.events import EventConsumer
from core.jobs import QueueWork, register
from crm.meetings.providers.registry import register_provider
from crm.privacy.registry import dangling_rows, register_personal_data
from outreach.connections.calendars.busy_times import ask_due, due_connections
from outreach.connections.calendars.event_sync import MEETING_EVENTS, note_meetings, write_due
from outreach.connections.calendars.logins import forget_members
from outreach.connections.calendars.models import CalendarConnection, CalendarEvent
from outreach.connections.calendars.notices import CALENDAR_FAILING
from outreach.connections.calendars.provider import GoogleCalls
from outreach.connections.calendars.queues import BUSY, EVENTS
from outreach.connections.calendars.views import (
    CalendarAuthorizeViewSet,
    CalendarConnectionViewSet,
    CalendarSyncViewSet,
)

protected.register("my-calendar/connection", CalendarConnectionViewSet)
protected.register("my-calendar/connection/authorize", CalendarAuthorizeViewSet)
protected.register("my-calendar/connection/sync", CalendarSyncViewSet)
WANTED = "EXISTS (SELECT FROM outreach_calendarconnection c WHERE c.company_id = %(company)s AND c.is_active)"
"""A company without connected calendars pays nothing for them."""

register(EventConsumer("calendars", note_meetings, kinds=MEETING_EVENTS, where=WANTED))
register(QueueWork(EVENTS, write_due, queue="bulk", task="outreach.write_calendar_events", model=CalendarEvent))
register(
    QueueWork(
        BUSY, ask_due, due_rows=due_connections, queue="bulk", task="outreach.read_busy_times", model=CalendarConnection
    )
)
members_removed.connect(forget_members)
register_notice(CALENDAR_FAILING)
register_provider(GoogleCalls())
# Erasure leaves the calendar itself alone.
register_personal_data(
    "calendarEvents",
    CalendarEvent,
    lambda subject: dangling_rows(CalendarEvent, "meeting"),
    module="meeting",
    exported=False,
)
