"""The fields of the list of merges."""

from __future__ import annotations

from core.lists import FieldSet, ListField

MERGE_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("winner", "id", "winner_id", nullable=False),
        ListField("undoUntil", "date", "undo_until", nullable=False),
        ListField("undoneAt", "date", "undone_at"),
        ListField("undoneBy", "id", "undone_by_id"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdBy.name", "text", "created_by__name", searchable=True),
        ListField("createdBy.email", "text", "created_by__email", searchable=True),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("createdBy.name", "createdBy.email"),
)
