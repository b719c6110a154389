"""The fields by which lists of chat apps are filtered, searched and sorted."""

from __future__ import annotations

from core.lists import FieldSet, ListField

CHAT_APP_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("phoneNumberId", "text", "phone_number_id", searchable=True, nullable=False),
        ListField("displayNumber", "text", "display_number", searchable=True, nullable=False),
        ListField("verified", "boolean", "verified", nullable=False),
        ListField("isActive", "boolean", "is_active", nullable=False),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name", "displayNumber"),
)
