"""The registrations of calendars."""

from __future__ import annotations

from accounts.members.services import members_removed
from accounts.settings.notices import register_notice
from crm.meetings.video.registry import register_provider
from outreach.connections.calendars.logins import forget_members
from outreach.connections.calendars.notices import CALENDAR_FAILING
from outreach.connections.calendars.provider import GoogleCalls

members_removed.connect(forget_members)
register_notice(CALENDAR_FAILING)
register_provider(GoogleCalls())
