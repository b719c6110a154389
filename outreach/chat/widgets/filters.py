"""The fields that lists of widgets are filtered, searched and sorted by."""

from __future__ import annotations

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField

WIDGET_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("isActive", "boolean", "is_active", nullable=False),
        ListField("chatbot", "id", "chatbot_id"),
        *authorship_fields(),
    ],
    default_search=("name",),
)
