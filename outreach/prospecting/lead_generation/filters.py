"""The fields by which lists of lead generations are filtered, searched and sorted."""

from __future__ import annotations

from core.lists import FieldSet, ListField

GENERATION_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("prompt", "text", "prompt", searchable=True, sortable=False, nullable=False),
        ListField("industry", "text", "industry", searchable=True, nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("count", "number", "count", nullable=False),
        ListField("created", "number", "created", nullable=False),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdBy.name", "text", "created_by__name"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("prompt", "industry"),
    default_sort=("createdAt",),
)
