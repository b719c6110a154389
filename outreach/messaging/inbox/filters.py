"""The fields by which mailboxes and received mail are filtered, searched and sorted."""

from __future__ import annotations

from django.db.models import BooleanField, ExpressionWrapper, Q

from core.lists import FieldSet, ListField

IS_READ = ExpressionWrapper(Q(read_at__isnull=False), BooleanField())
IS_GUESS = ExpressionWrapper(Q(matched_by="guess"), BooleanField())

MAILBOX_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("smtp", "id", "smtp_id", nullable=False),
        ListField("host", "text", "host", searchable=True, nullable=False),
        ListField("port", "number", "port", nullable=False),
        ListField("username", "text", "username", searchable=True, nullable=False),
        ListField("secure", "boolean", "secure", nullable=False),
        ListField("verified", "boolean", "verified", nullable=False),
        ListField("isActive", "boolean", "is_active", nullable=False),
        ListField("lastPolledAt", "date", "last_polled_at"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("host", "username"),
)
INBOX_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("kind", "text", "kind", nullable=False),
        ListField("severity", "text", "severity", nullable=False),
        ListField("fromEmail", "text", "from_email", searchable=True, nullable=False, ignore_case=True),
        ListField("fromName", "text", "from_name", searchable=True, nullable=False),
        ListField("subject", "text", "subject", searchable=True, nullable=False),
        ListField("text", "text", "text", searchable=True, sortable=False, nullable=False),
        ListField("recipient", "text", "recipient", searchable=True, nullable=False, ignore_case=True),
        ListField("run", "id", "run_id"),
        ListField("sendJob", "id", "send_job_id"),
        ListField("contact", "id", "contact_id"),
        ListField("contact.name", "text", "contact__name", searchable=True),
        ListField("smtp", "id", "smtp_id"),
        ListField("matchedBy", "text", "matched_by", nullable=False),
        ListField("isRead", "boolean", IS_READ, nullable=False),
        ListField("receivedAt", "date", "received_at", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("receivedAt",),
    default_search=("fromEmail", "fromName", "subject"),
)
