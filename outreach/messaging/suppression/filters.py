"""The fields by which the suppression list is filtered, searched and sorted."""

from __future__ import annotations

from core.lists import FieldSet, ListField

SUPPRESSION_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("email", "text", "email", searchable=True, nullable=False, ignore_case=True),
        ListField("reason", "text", "reason", nullable=False),
        ListField("source", "text", "source", searchable=True, nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("email",),
)
IMPORT_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("file", "id", "file_id", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
)
