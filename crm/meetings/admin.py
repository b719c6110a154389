"""Back office pages of follow-ups and meetings."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from core.backoffice.admin import BY_COMPANY, CompanyRecordAdmin
from core.backoffice.panels import register_panel, render_table
from core.backoffice.references import register_event_kind
from core.text.translation import gettext_lazy as _
from crm.activities.models import FollowUp
from crm.meetings.models import Meeting, MeetingAttendee, VideoSettings


@admin.register(FollowUp)
class FollowUpAdmin(CompanyRecordAdmin):
    """Tasks, read-only: the API changes them together with their reminders and events."""

    icon = "task_alt"
    list_display = (
        *("title", "company", "status", "type", "priority", "due_at", "assignee", "recurrence"),
        *("remind_at", "reminded_at", "created_at"),
    )
    list_filter = (BY_COMPANY, ("status", ChoicesDropdownFilter))
    search_fields = ("=id", "=lead__id", "=contact__id", "=organization__id", "title")
    search_help_text = _("Title, or id of the task, lead, contact or organization")


@admin.register(Meeting)
class MeetingAdmin(CompanyRecordAdmin):
    """Meetings, read-only: the API changes them and notifies the participants."""

    icon = "event"
    finds = True
    list_display = (
        "title",
        "company",
        "status",
        "result",
        "kind",
        "video_error",
        "starts_at",
        "ends_at",
        "timezone",
        "organizer",
        "remind_at",
        "reminded_at",
        "created_at",
    )
    list_filter = (BY_COMPANY, ("status", ChoicesDropdownFilter))
    search_fields = ("=id", "title", "organizer__email")
    search_help_text = _("Title, email of the organizer, or id")


@admin.register(VideoSettings)
class VideoSettingsAdmin(CompanyRecordAdmin):
    """Settings for the links of companies' video calls."""

    icon = "video_settings"
    list_display = ("company", "provider", "link_template", "updated_at")
    search_fields = ("=id", "=company__id")


def _known_as(member_id: str | None, contact_id: str | None) -> str:
    if member_id:
        return "member"
    return "contact" if contact_id else "address"


@register_panel(Meeting, _("Attendees"))
def _attendees(meeting: Meeting) -> SafeString:
    rows = (
        MeetingAttendee.objects.filter(meeting=meeting)
        .order_by("pk")
        .values_list("name", "email", "member_id", "contact_id")
    )
    kinds = [(name or "–", email, _known_as(member, contact)) for name, email, member, contact in rows]
    return render_table((_("Name"), _("Email"), _("Record")), kinds, empty=_("Only the organizer."))


register_event_kind(Meeting, "meeting")
