"""The fields of the list of bulk jobs."""

from __future__ import annotations

from core.lists import FieldSet, ListField

BULK_JOB_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("action", "text", "action", searchable=True, nullable=False),
        ListField("panel", "text", "panel", searchable=True, nullable=False),
        ListField("status", "text", "status", searchable=True, nullable=False),
        ListField("total", "number", "total"),
        *(ListField(name, "number", name, nullable=False) for name in ("processed", "changed", "failed")),
        ListField("undoes", "id", "undoes_id"),
        ListField("undoesImport", "id", "undoes_import_id"),
        ListField("undoneAt", "date", "undone_at"),
        ListField("undoUntil", "date", "undo_until"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdBy.name", "text", "created_by__name", searchable=True),
        ListField("startedAt", "date", "started_at"),
        ListField("finishedAt", "date", "finished_at"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("action", "panel", "status"),
)
