"""The fields by which lists of chatbots are filtered, searched and sorted."""

from __future__ import annotations

from core.lists import FieldSet, ListField

CHATBOT_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("activeName", "text", "active_name", searchable=True, nullable=False),
        ListField("kind", "text", "kind", nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("publishedVersion", "number", "published_version", nullable=False),
        ListField("latestVersion", "number", "latest_version", nullable=False),
        ListField("publishedAt", "date", "published_at"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name",),
)
