"""The fields by which lists of forms, and of their submissions, are filtered, searched and sorted."""

from __future__ import annotations

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField

FORM_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("source", "text", "source", nullable=False),
        ListField("status", "text", "state", nullable=False),
        ListField("formId", "text", "form_id", nullable=False),
        ListField("pageId", "text", "page_id", nullable=False),
        ListField("app", "id", "app_id"),
        ListField("lastLeadAt", "date", "last_lead_at"),
        *authorship_fields(),
    ],
    default_search=("name",),
)
FORM_LEAD_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("form", "id", "form_id", nullable=False),
        ListField("form.name", "text", "form__name", searchable=True, nullable=False),
        ListField("leadgenId", "text", "leadgen_id", searchable=True, nullable=False),
        ListField("status", "text", "state", nullable=False),
        ListField("reason", "text", "reason", nullable=False),
        ListField("lead", "id", "lead_id"),
        ListField("submittedAt", "date", "submitted_at", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("form.name", "leadgenId"),
    default_sort=("createdAt",),
)
