"""The fields of the list of lead activities."""

from __future__ import annotations

from core.lists import FieldSet, ListField

ACTIVITY_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("kind", "text", "kind", nullable=False),
        ListField("lead", "id", "lead_id"),
        ListField("lead.status", "text", "lead__status"),
        ListField("contact", "id", "contact_id"),
        ListField("contact.name", "text", "contact__name", searchable=True),
        ListField("contact.email", "text", "contact__email", searchable=True, ignore_case=True),
        ListField("contact.contactNumber", "text", "contact__contact_number", searchable=True, digits=True),
        ListField("member", "id", "member_id"),
        ListField("member.name", "text", "member__name", searchable=True),
        ListField("member.email", "text", "member__email", searchable=True),
        ListField("notes", "text", "notes", searchable=True, nullable=False),
        ListField("happenedAt", "date", "happened_at", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("notes",),
)
