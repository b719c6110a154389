"""The fields by which lists of proposals are filtered, searched and sorted."""

from __future__ import annotations

from core.lists import FieldSet, ListField

PROPOSAL_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("contact", "id", "contact_id", nullable=False),
        ListField("contact.name", "text", "contact__name", searchable=True),
        ListField("field", "text", "field", nullable=False),
        ListField("text", "text", "text", searchable=True, nullable=False),
        ListField("source", "text", "source", searchable=True, nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("run", "id", "run_id"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("text", "source"),
    default_sort=("createdAt",),
)
