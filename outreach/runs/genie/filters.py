"""The fields by which lists of runs are filtered, searched and sorted."""

from __future__ import annotations

from core.lists import FieldSet, ListField
from outreach.runs.genie.selectors import phase

RUN_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("prompt", "text", "prompt", searchable=True, sortable=False, nullable=False),
        ListField("aiType", "text", "ai_type", nullable=False),
        ListField("phase", "text", phase(), nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("draft", "boolean", "draft", nullable=False),
        ListField("recurring", "boolean", "recurring", nullable=False),
        ListField("nextOccurrenceAt", "date", "next_occurrence_at"),
        ListField("total", "number", "total"),
        ListField("processed", "number", "processed", nullable=False),
        ListField("smtp", "id", "smtp_id"),
        ListField("mailApp", "id", "mail_app_id"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdBy.name", "text", "created_by__name"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name", "prompt"),
)
