"""The fields by which lists of SMTP senders are filtered, searched and sorted."""

from __future__ import annotations

from core.lists import FieldSet, ListField

SMTP_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("host", "text", "host", searchable=True, nullable=False),
        ListField("port", "number", "port", nullable=False),
        ListField("username", "text", "username", searchable=True, nullable=False),
        ListField("fromEmail", "text", "from_email", searchable=True, nullable=False, ignore_case=True),
        ListField("fromName", "text", "from_name", searchable=True, nullable=False),
        ListField("secure", "boolean", "secure", nullable=False),
        ListField("verified", "boolean", "verified", nullable=False),
        ListField("isActive", "boolean", "is_active", nullable=False),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name", "host", "fromEmail", "fromName"),
)
