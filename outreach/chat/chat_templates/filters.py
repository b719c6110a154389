"""The fields by which lists of chat templates are filtered, searched and sorted."""

from __future__ import annotations

from core.lists import FieldSet, ListField

TEMPLATE_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("language", "text", "language", nullable=False),
        ListField("category", "text", "category", nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("app", "id", "app_id", nullable=False),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name",),
)
