"""The fields by which lists of buckets are filtered, searched and sorted."""

from __future__ import annotations

from core.lists import FieldSet, ListField

BUCKET_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("region", "text", "region", searchable=True, nullable=False),
        ListField("endpoint", "text", "endpoint", searchable=True, nullable=False),
        ListField("isActive", "boolean", "is_active", nullable=False),
        ListField("isDefault", "boolean", "is_default", nullable=False),
        ListField("verified", "boolean", "verified", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name", "endpoint"),
)
