"""The fields by which lists of workflows and of their versions are filtered, searched and sorted."""

from __future__ import annotations

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField

WORKFLOW_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("triggerEventType", "text", "trigger_event_type", searchable=True, nullable=False),
        ListField("publishedAt", "date", "published_at"),
        ListField("nextFireAt", "date", "next_fire_at"),
        *authorship_fields(),
    ],
    default_search=("name",),
)
VERSION_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("number", "number", "number", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
    ],
    default_sort=("createdAt",),
)
