"""The registrations of meetings."""

from __future__ import annotations

from core.access import count_usage
from core.text.labels.providers import provider_names
from crm.activities.reminders import register_reminder
from crm.meetings.mails import REMINDER
from crm.meetings.models import Meeting
from crm.meetings.video.registry import PROVIDERS

count_usage("meeting", Meeting.objects.all)
register_reminder(Meeting, REMINDER)


@provider_names.connect
def _names() -> dict[str, str]:
    """Return the names of the providers of video links."""
    return {key: provider.name for key, provider in PROVIDERS.items()}
