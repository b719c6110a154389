"""The fields by which members' mails are filtered, searched and sorted."""

from __future__ import annotations

from django.db.models import BooleanField, ExpressionWrapper, Q

from core.lists import FieldSet, ListField
from outreach.messaging.personal_mail.selectors import status

IS_DRAFT = ExpressionWrapper(Q(send_job__isnull=True), BooleanField())

MAIL_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("status", "text", status(), nullable=False),
        ListField("draft", "boolean", IS_DRAFT, nullable=False),
        ListField("contact", "id", "contact_id", nullable=False),
        ListField("contact.name", "text", "contact__name", searchable=True, nullable=False),
        ListField("lead", "id", "lead_id"),
        ListField("subject", "text", "subject", searchable=True, nullable=False),
        ListField("sendJob", "id", "send_job_id"),
        ListField("sendAt", "date", "send_at"),
        ListField("sentAt", "date", "send_job__sent_at"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("subject", "contact.name"),
)
