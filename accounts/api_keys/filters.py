"""The fields that lists of API keys are filtered, searched and sorted by."""

from __future__ import annotations

from core.lists import FieldSet, ListField

API_KEY_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("maskedKey", "text", "masked_key", searchable=True, nullable=False),
        ListField("type", "text", "type", searchable=True, nullable=False),
        ListField("ipRestriction", "text", "ip_restriction", nullable=False),
        ListField("durationMinutes", "number", "duration_minutes"),
        ListField("lastUsedAt", "date", "last_used_at"),
        ListField("createdBy", "id", "created_by_id", nullable=False),
        ListField("createdBy.name", "text", "created_by__name", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
)
