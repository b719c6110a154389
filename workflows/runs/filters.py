"""The fields by which lists of runs and of their steps are filtered, searched and sorted."""

from __future__ import annotations

from core.lists import FieldSet, ListField, RelationField

RUN_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("workflow", "id", "workflow_id", nullable=False),
        RelationField("workflow.name", "text", "workflow", "name", searchable=True),
        ListField("status", "text", "status", nullable=False),
        ListField("reason", "text", "reason", nullable=False),
        ListField("version", "number", "version__number"),
        ListField("contact", "id", "contact_id"),
        RelationField("contact.name", "text", "contact", "name", searchable=True),
        RelationField("contact.email", "text", "contact", "email", searchable=True),
        ListField("lead", "id", "lead_id"),
        ListField("errorNode", "text", "error_node", nullable=False),
        ListField("errorCode", "text", "error_code", nullable=False),
        ListField("startedAt", "date", "started_at"),
        ListField("finishedAt", "date", "finished_at"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("workflow.name", "contact.name", "contact.email"),
)
STEP_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("node", "text", "node", nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("handle", "text", "handle", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
    ],
    default_sort=("createdAt",),
)
