"""The fields by which lists of mail vendor apps are filtered, searched and sorted."""

from __future__ import annotations

from core.lists import FieldSet, ListField

MAIL_APP_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("vendor", "text", "vendor", nullable=False),
        ListField("fromEmail", "text", "from_email", searchable=True, nullable=False, ignore_case=True),
        ListField("fromName", "text", "from_name", searchable=True, nullable=False),
        ListField("verified", "boolean", "verified", nullable=False),
        ListField("isActive", "boolean", "is_active", nullable=False),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name", "fromEmail", "fromName"),
)
