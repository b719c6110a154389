"""The notice about calendars that have to be connected again."""

from __future__ import annotations

from accounts.members.notices import notify
from accounts.models import Member
from accounts.settings.notices import Notice
from core.text.translation import gettext_lazy
from outreach.connections.calendars.google import CalendarFailed
from outreach.connections.calendars.models import CalendarConnection

CALENDAR_FAILING = Notice("calendar.failing", gettext_lazy("Calendar disconnected"), "notice_calendar_failing")
REFUSED = gettext_lazy("Google takes the log-in no more. Connect it again.")


def record_failure(connection: CalendarConnection, failed: CalendarFailed) -> None:
    """Record an error of a connection, in the caller's transaction. If Google refuses its log-in, the member is
    notified, once for each time that it stops working."""
    row = CalendarConnection.objects.filter(pk=connection.pk)
    if not failed.refused:
        row.filter(needs_login=False).update(error=failed.detail[:500])
    elif row.exclude(error=REFUSED).update(needs_login=True, error=REFUSED):
        member = Member.objects.filter(pk=connection.member_id).first()
        notify(CALENDAR_FAILING.key, {"connection": connection}, members=[member], about=("my-calendar", connection.pk))
