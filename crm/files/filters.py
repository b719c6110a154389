"""The fields of the lists of files."""

from __future__ import annotations

from core.lists import FieldSet, ListField

FILE_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("mime", "text", "mime", searchable=True, nullable=False),
        ListField("size", "number", "size", nullable=False),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdBy.name", "text", "created_by__name", searchable=True),
        ListField("trashedAt", "date", "trashed_at"),
        ListField("trashedBy", "id", "trashed_by_id"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name",),
)
