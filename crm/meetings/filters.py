"""The fields of the list of meetings."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField, ManyField
from core.lists.fields import Condition, expression_column
from crm.meetings.models import MeetingAttendee


def _attendees() -> QuerySet[MeetingAttendee]:
    return MeetingAttendee.objects.filter(meeting=OuterRef("pk"))


def with_member(member: str) -> Q:
    """Match the meetings that a member organizes or is asked to."""
    return Q(organizer_id=member) | Q(Exists(_attendees().filter(member_id=member)))


class Participant(ListField):
    """The members who take part in a meeting: its organizer and the members among its attendees."""

    many = True

    def __init__(self) -> None:
        super().__init__("member", "id", "organizer_id", sortable=False, nullable=False)

    def where(self, condition: Condition) -> Q:
        return condition(expression_column("organizer_id")) | Q(
            Exists(_attendees().filter(condition(expression_column("member_id"))))
        )


MEETING_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("title", "text", "title", searchable=True, nullable=False),
        ListField("description", "text", "description", searchable=True, nullable=False),
        ListField("lead", "id", "lead_id"),
        ListField("lead.contact", "id", "lead__contact_id"),
        ListField("lead.contact.name", "text", "lead__contact__name", searchable=True),
        ListField("contact", "id", "contact_id"),
        ListField("contact.name", "text", "contact__name", searchable=True),
        ListField("organizer", "id", "organizer_id", nullable=False),
        ListField("organizer.name", "text", "organizer__name", searchable=True, nullable=False),
        Participant(),
        ManyField("attendees.contact", "id", _attendees, "contact_id"),
        ManyField("attendees.name", "text", _attendees, "name", searchable=True),
        ManyField("attendees.email", "text", _attendees, "email", searchable=True),
        ListField("startsAt", "date", "starts_at", nullable=False),
        ListField("endsAt", "date", "ends_at", nullable=False),
        ListField("timezone", "text", "timezone", nullable=False),
        ListField("place", "text", "place", searchable=True, nullable=False),
        ListField("link", "text", "link", nullable=False),
        ListField("kind", "text", "kind", nullable=False),
        ListField("videoProvider", "text", "video_provider", nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("result", "text", "result", nullable=False),
        ListField("remindMinutes", "number", "remind_minutes"),
        ListField("remindedAt", "date", "reminded_at"),
        *authorship_fields(),
    ],
    default_sort=("createdAt",),
    default_search=("title", "description", "place"),
)
