"""The fields of the list of call logs."""

from __future__ import annotations

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField

CALL_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("lead", "id", "lead_id"),
        ListField("lead.status", "text", "lead__status"),
        ListField("contact", "id", "contact_id"),
        ListField("contact.name", "text", "contact__name", searchable=True),
        ListField("contact.email", "text", "contact__email", searchable=True, ignore_case=True),
        ListField("contact.contactNumber", "text", "contact__contact_number", searchable=True, digits=True),
        ListField("member", "id", "member_id"),
        ListField("member.name", "text", "member__name", searchable=True),
        ListField("member.email", "text", "member__email", searchable=True),
        ListField("direction", "text", "direction", nullable=False),
        ListField("outcome", "text", "outcome", nullable=False),
        ListField("number", "text", "number", searchable=True, nullable=False),
        ListField("startedAt", "date", "started_at", nullable=False),
        ListField("duration", "number", "duration_seconds", nullable=False),
        ListField("notes", "text", "notes", searchable=True, nullable=False),
        *authorship_fields(searchable=True),
    ],
    default_sort=("createdAt",),
    default_search=("number", "notes", "contact.name"),
)
