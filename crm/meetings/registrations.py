"""The registrations of meetings."""

from __future__ import annotations

from core.access import count_usage
from core.api.routes import protected
from core.text.labels.providers import provider_names
from crm.activities.reminders import register_reminder
from crm.meetings.agenda.views import CalendarViewSet, MyCalendarViewSet
from crm.meetings.mails import REMINDER
from crm.meetings.models import Meeting
from crm.meetings.offline.views import OfflineMeetingViewSet
from crm.meetings.providers.registry import PROVIDERS
from crm.meetings.video.views import MyVideoCallViewSet, VideoCallViewSet, VideoSettingsViewSet
from crm.meetings.views import MeetingViewSet

protected.register("meeting", MeetingViewSet)
protected.register("videocall", VideoCallViewSet)
protected.register("videocall/settings", VideoSettingsViewSet)
protected.register("my-videocall", MyVideoCallViewSet)
protected.register("offline-meeting", OfflineMeetingViewSet)
protected.register("calendar", CalendarViewSet)
protected.register("my-calendar", MyCalendarViewSet)
count_usage("meeting", Meeting.objects.all)
register_reminder(Meeting, REMINDER)


@provider_names.connect
def _names() -> dict[str, str]:
    """Return the names of the providers of video links."""
    return {key: provider.name for key, provider in PROVIDERS.items()}
