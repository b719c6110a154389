"""The fields by which lists of messages are filtered, searched and sorted."""

from __future__ import annotations

from core.lists import FieldSet, ListField


def _message_fields(recipient: str) -> list[ListField]:
    return [
        ListField("_id", "id", "id", nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("reason", "text", "reason", nullable=False),
        ListField(recipient, "text", "recipient", searchable=True, nullable=False, ignore_case=True),
        ListField("subject", "text", "subject", searchable=True, nullable=False),
        ListField("messageId", "text", "message_id", nullable=False),
        ListField("attempts", "number", "attempts", nullable=False),
        ListField("run", "id", "run_id"),
        ListField("contact", "id", "contact_id", nullable=False),
        ListField("contact.name", "text", "contact__name", searchable=True, nullable=False),
        ListField("smtp", "id", "smtp_id"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("dueAt", "date", "due_at", nullable=False),
        ListField("sendingAt", "date", "sending_at"),
        ListField("sentAt", "date", "sent_at"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ]


MESSAGE_FIELDS = FieldSet(
    _message_fields("recipient"), default_sort=("createdAt",), default_search=("recipient", "subject")
)
LOG_FIELDS = FieldSet(_message_fields("to"), default_sort=("createdAt",), default_search=("to", "subject"))
