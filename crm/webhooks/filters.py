"""The fields of the lists of webhooks and of their deliveries."""

from __future__ import annotations

from core.lists import FieldSet, ListField

WEBHOOK_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("url", "text", "url", searchable=True, nullable=False),
        ListField("description", "text", "description", searchable=True, nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("failures", "number", "failures", nullable=False),
        ListField("failingSince", "date", "failing_since"),
        ListField("lastSuccessAt", "date", "last_success_at"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("description", "url"),
)
DELIVERY_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("webhook", "id", "webhook_id", nullable=False),
        ListField("eventId", "id", "event_id", nullable=False),
        ListField("kind", "text", "kind", searchable=True, nullable=False),
        ListField("objectId", "id", "object_id", nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("attempts", "number", "attempts", nullable=False),
        ListField("responseStatus", "number", "response_status"),
        ListField("dueAt", "date", "due_at", nullable=False),
        ListField("triedAt", "date", "tried_at"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("kind",),
)
