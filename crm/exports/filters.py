"""The fields of the list of exports."""

from __future__ import annotations

from core.lists import FieldSet, ListField

EXPORT_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("resource", "text", "resource", searchable=True, nullable=False),
        ListField("format", "text", "format", nullable=False),
        ListField("status", "text", "status", searchable=True, nullable=False),
        ListField("total", "number", "total"),
        ListField("processed", "number", "processed", nullable=False),
        ListField("file", "id", "file_id"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdBy.name", "text", "created_by__name", searchable=True),
        ListField("finishedAt", "date", "finished_at"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("resource",),
)
