"""The fields that lists of notifications are filtered, searched and sorted by."""

from __future__ import annotations

from django.db.models import BooleanField, ExpressionWrapper, Q

from core.lists import FieldSet, ListField

IS_READ = ExpressionWrapper(Q(read_at__isnull=False), BooleanField())

NOTIFICATION_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("company", "id", "company_id", nullable=False),
        ListField("kind", "text", "kind", nullable=False),
        ListField("text", "text", "text", searchable=True, nullable=False),
        ListField("isRead", "boolean", IS_READ, nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("text",),
)
