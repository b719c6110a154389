"""Endpoints of bulk jobs: changes of many records that a worker does, and the undoing of such changes."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.views import ApiView
from core.errors import NamedError
from core.lists import FieldSet, ListField
from crm.bulk_jobs.models import BulkJob
from crm.bulk_jobs.serializers import BulkJobOut, BulkJobUndo, BulkJobUpdate, job_answer
from crm.bulk_jobs.services import move_job, not_found
from crm.bulk_jobs.undo import undo_bulk_job

MODULES = {"contact": "contact", "lead": "lead", "productService": "product-service"}
"""Panel -> permission module."""
RIGHTS = {BulkJob.Action.UPDATE.value: "PUT", BulkJob.Action.DELETE.value: "DELETE"}
"""Action -> what one must be allowed to do to the panel's records to undo it."""
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
WHOSE = (
    "A job counts as one of its panel: contact, lead or product-service, whose permission it takes to see or move it."
)


class BulkJobView(ApiView):
    """Base: the permission is that of a panel, whichever the actor has it for, and jobs of the others do not exist."""

    module = "contact"
    also = ("lead", "product-service")

    def visible(self) -> QuerySet[BulkJob]:
        """The jobs of the panels to which the actor may do what the request does."""
        method = self.request.method or "GET"
        return BulkJob.objects.filter(
            panel__in=[panel for panel, module in MODULES.items() if self.may(module, method)]
        )

    def may(self, module: str, method: str) -> bool:
        return self.actor.is_unbounded or self.actor.may(module, method)

    def find(self, id: str) -> BulkJob:
        job = self.visible().filter(pk=id).first()
        if job is None:
            raise not_found()
        return job


class BulkJobs(BulkJobView):
    @endpoint("List bulk jobs", output=BulkJobOut, many=True, description=WHOSE)
    def get(self, request: Request) -> Any:
        return self.list_response(self.visible(), BULK_JOB_FIELDS, BulkJobOut)


class BulkJobDetail(BulkJobView):
    @endpoint("Read a bulk job", output=BulkJobOut, description=f"With its progress. {WHOSE}", errors=("NotFound_404",))
    def get(self, request: Request, id: str) -> Any:
        return job_answer(self.find(id).pk)

    @endpoint(
        "Pause, resume or cancel a bulk job",
        input=BulkJobUpdate,
        output=BulkJobOut,
        success="BulkJobUpdated_200",
        errors=("NotFound_404", "InvalidRequest_400"),
        description=f"A job at work stops after its batch. What it has done stays done, and can be undone. {WHOSE}",
    )
    def put(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        return job_answer(move_job(id=self.find(id).pk, status=data["status"]).pk)


class BulkJobUndoing(BulkJobView):
    @endpoint(
        "Undo a bulk job",
        input=BulkJobUndo,
        output=BulkJobOut,
        success="BulkJobUndoStarted_201",
        errors=("NotFound_404", "InvalidRequest_400", "UnauthorizedAction_403"),
        description="For 30 days after its start. A worker gives the records back what they were before, as a bulk job of its own, which is"
        " answered. What somebody has changed since stays, as does a record whose unique key another one has now: `report` tells of both."
        " Undoing an update takes the right to update, undoing a deletion that to delete. Emits <panel>.updated, and <panel>.restored for"
        " records that were deleted.",
    )
    def post(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        job = self.find(id)
        module, right = MODULES[job.panel], RIGHTS.get(job.action, "PUT")
        if not self.may(module, right):
            raise NamedError("UnauthorizedAction_403", f"your role lacks the permission {module}.{right}")
        undoing = undo_bulk_job(id=job.pk, actor_id=self.actor.member_id, automation=data["automation"] == "run")
        return job_answer(undoing.pk)
