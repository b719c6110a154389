"""The fields by which conversations, their messages, canned answers and answer times are filtered and sorted."""

from __future__ import annotations

from core.lists import FieldSet, ListField

CONVERSATION_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("channel", "text", "channel", nullable=False),
        ListField("state", "text", "state", nullable=False),
        ListField("address", "text", "address", searchable=True, nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("subject", "text", "subject", searchable=True, nullable=False),
        ListField("lastText", "text", "last_text", searchable=True, sortable=False, nullable=False),
        ListField("chatApp", "id", "chat_app_id"),
        ListField("contact", "id", "contact_id"),
        ListField("lead", "id", "lead_id"),
        ListField("team", "id", "team_id"),
        ListField("assignee", "id", "assignee_id"),
        ListField("chatbot", "id", "chatbot_id"),
        ListField("unread", "number", "unread", nullable=False),
        ListField("snoozedUntil", "date", "snoozed_until"),
        ListField("answerDueAt", "date", "answer_due_at"),
        ListField("overdueAt", "date", "overdue_at"),
        ListField("lastInboundAt", "date", "last_inbound_at"),
        ListField("lastMessageAt", "date", "last_message_at"),
        ListField("queuedAt", "date", "queued_at"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("name", "address", "subject", "lastText"),
)
MESSAGE_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("direction", "text", "direction", nullable=False),
        ListField("author", "text", "author", nullable=False),
        ListField("kind", "text", "kind", nullable=False),
        ListField("text", "text", "text", searchable=True, sortable=False, nullable=False),
        ListField("happenedAt", "date", "happened_at", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
    ],
    default_sort=("happenedAt",),
    default_search=("text",),
)
CANNED_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("shortcut", "text", "shortcut", searchable=True, nullable=False),
        ListField("text", "text", "text", searchable=True, sortable=False, nullable=False),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name", "shortcut", "text"),
)
ANSWER_TIME_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("team", "id", "team_id"),
        ListField("team.name", "text", "team__name", searchable=True),
        ListField("firstMinutes", "number", "first_minutes"),
        ListField("nextMinutes", "number", "next_minutes"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("team.name",),
)
