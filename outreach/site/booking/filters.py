"""The fields by which lists of booking pages and of bookings are filtered, searched and sorted."""

from __future__ import annotations

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField

BOOKING_PAGE_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("title", "text", "title", searchable=True, nullable=False),
        ListField("member", "id", "member_id"),
        ListField("team", "id", "team_id"),
        ListField("isActive", "boolean", "is_active", nullable=False),
        ListField("kind", "text", "kind", nullable=False),
        *authorship_fields(),
    ],
    default_search=("name", "title"),
)
BOOKING_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("page", "id", "page_id"),
        ListField("meeting", "id", "meeting_id", nullable=False),
        ListField("meeting.startsAt", "date", "meeting__starts_at", nullable=False),
        ListField("meeting.status", "text", "meeting__status", nullable=False),
        ListField("member", "id", "member_id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("email", "text", "email", searchable=True, nullable=False),
        ListField("contact", "id", "contact_id"),
        ListField("lead", "id", "lead_id"),
        ListField("cancelledAt", "date", "cancelled_at"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name", "email"),
    default_sort=("createdAt",),
)
