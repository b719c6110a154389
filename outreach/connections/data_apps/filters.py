"""The fields by which lists of data apps are filtered, searched and sorted."""

from __future__ import annotations

from core.lists import FieldSet, ListField

DATA_APP_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("url", "text", "url", searchable=True, nullable=False),
        ListField("method", "text", "method", nullable=False),
        ListField("isActive", "boolean", "is_active", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name",),
)
