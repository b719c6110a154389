"""The fields that conversations with the assistant, and their questions, are filtered, searched and sorted by."""

from __future__ import annotations

from core.lists import FieldSet, ListField

THREAD_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("title", "text", "title", searchable=True, nullable=False),
        ListField("lastMessageAt", "date", "last_message_at", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("lastMessageAt",),
    default_search=("title",),
)
MESSAGE_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("question", "text", "question", searchable=True, nullable=False),
        ListField("answer", "text", "answer", searchable=True, nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("question", "answer"),
)
