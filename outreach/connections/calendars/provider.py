"""Video calls of a member's Google calendar: the link comes with the event there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crm.meetings.providers.base import VideoProvider
from outreach.connections.calendars.google import KEY
from outreach.connections.calendars.logins import NOT_SET_UP, connection_of, is_set_up

if TYPE_CHECKING:
    from crm.meetings.models import Meeting, VideoSettings


class GoogleCalls(VideoProvider):
    key = KEY
    name = "Google Meet"

    def lacks(self) -> str:
        return "" if is_set_up() else NOT_SET_UP

    def refusal(self, organizer: str, settings: VideoSettings) -> str:
        connection = connection_of(organizer)
        if connection is None:
            return "Who organizes it has connected no Google calendar."
        return "The Google calendar has to be connected again." if connection.needs_login else ""

    def link(self, meeting: Meeting) -> str:
        return ""
