"""The fields of the lists of imports and of their row errors."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet

from core.lists import FieldSet, ListField
from crm.bulk_jobs.models import BulkJob


def is_undone() -> Exists:
    """Return whether a job has undone the import in the row, as an expression."""
    # No company is active when the module is loaded: the import's own company stands in for the manager's.
    jobs: QuerySet[BulkJob] = QuerySet(BulkJob).filter(company_id=OuterRef("company_id"), undoes_import=OuterRef("pk"))
    return Exists(jobs.filter(status=BulkJob.Status.COMPLETED))


IMPORT_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("status", "text", "status", searchable=True, nullable=False),
        ListField("file", "id", "file_id", nullable=False),
        ListField("file.name", "text", "file__name", searchable=True, nullable=False),
        ListField("total", "number", "total"),
        *(
            ListField(name, "number", name, nullable=False)
            for name in ("processed", "created", "updated", "skipped", "failed")
        ),
        ListField("isUndone", "boolean", is_undone(), nullable=False),
        ListField("category", "id", "category_id"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdBy.name", "text", "created_by__name", searchable=True),
        ListField("startedAt", "date", "started_at"),
        ListField("finishedAt", "date", "finished_at"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("file.name",),
)


ERROR_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("row", "number", "row", nullable=False),
        ListField("column", "text", "column", searchable=True, nullable=False),
        ListField("code", "text", "code", searchable=True, nullable=False),
        ListField("message", "text", "message", searchable=True, nullable=False),
        ListField("skipped", "boolean", "skipped", nullable=False),
        ListField("failed", "boolean", "failed", nullable=False),
        ListField("existingId", "id", "existing_id"),
    ],
    default_sort=("row",),
    default_order="asc",
    default_search=("column", "message"),
)
