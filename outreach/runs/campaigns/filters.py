"""The fields by which lists of campaigns are filtered, searched and sorted."""

from __future__ import annotations

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField

CAMPAIGN_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("subject", "text", "subject", searchable=True, nullable=False),
        ListField("type", "text", "type", nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("audience", "text", "audience_mode", nullable=False),
        ListField("manual", "boolean", "manual", nullable=False),
        ListField("recurring", "boolean", "recurring", nullable=False),
        ListField("smtp", "id", "smtp_id"),
        ListField("mailApp", "id", "mail_app_id"),
        ListField("templateId", "id", "template_id"),
        ListField("scheduledAt", "date", "scheduled_at"),
        ListField("endsAt", "date", "ends_at"),
        ListField("startedAt", "date", "started_at"),
        ListField("finishedAt", "date", "finished_at"),
        *authorship_fields(),
    ],
    default_search=("name", "subject"),
)
