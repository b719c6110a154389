"""The notice about calendars that have to be connected again."""

from __future__ import annotations

from accounts.members.notices import notify
from accounts.models import Member
from accounts.settings.notices import Notice, register_notice
from outreach.calendars.google import CalendarFailed
from outreach.calendars.models import CalendarConnection

CALENDAR_FAILING = Notice(
    "calendar.failing", "A member's calendar has to be connected again", "notice_calendar_failing"
)
register_notice(CALENDAR_FAILING)


def note_refusal(connection: CalendarConnection, failed: CalendarFailed) -> None:
    """Mark a connection whose log-in Google takes no more, and tell its member, once for each time that it stops
    working; in the caller's transaction."""
    if not failed.refused:
        return
    if CalendarConnection.objects.filter(pk=connection.pk, needs_login=False).update(needs_login=True):
        member = Member.objects.filter(pk=connection.member_id).first()
        notify(CALENDAR_FAILING.key, {"connection": connection}, members=[member], about=("my-calendar", connection.pk))
