"""Endpoints of bulk jobs: changes of many records by a worker, and the undoing of such changes."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest
from core.api.viewsets import ResourceViewSet
from core.errors import PermissionLacking
from core.types import JsonObject
from crm.bulk_jobs.filters import BULK_JOB_FIELDS
from crm.bulk_jobs.models import BulkJob
from crm.bulk_jobs.restore_jobs import restore_many
from crm.bulk_jobs.selectors import may, module_of, visible_jobs
from crm.bulk_jobs.serializers import (
    RESTORE,
    BulkJobOut,
    BulkJobUndo,
    BulkJobUpdate,
    RestoredOut,
    RestoreInput,
    job_answer,
    restored_response,
)
from crm.bulk_jobs.services import move_job, not_found
from crm.bulk_jobs.under_way import UnderWayOut, work_under_way
from crm.bulk_jobs.undo import other_changed_panels, undo_bulk_job
from crm.records.kinds import RecordKind

RIGHTS = {
    BulkJob.Action.UPDATE.value: "PUT",
    BulkJob.Action.DELETE.value: "DELETE",
    BulkJob.Action.RESTORE.value: "DELETE",
}
"""Action -> the permission on the panel's records that undoing it takes."""
WHOSE = (
    "A job counts as one of its panel: contact, lead, product-service, genie or workflow, whose permission it takes to"
    " see or move it."
)


def listed_jobs(list_request: ListRequest) -> QuerySet[BulkJob]:
    """Return the jobs that the actor may read."""
    return visible_jobs(list_request.actor, "GET")


def restore_action(kind: RecordKind, *, success: str, counted: bool = True) -> Any:
    """Return the action that restores deleted records, for the ViewSet of their kind; `counted` ones have a quota."""

    @action(detail=False, methods=["post"])
    @endpoint(
        f"Restore deleted {kind.noun}",
        input=RestoreInput,
        output=RestoredOut,
        undoable=True,
        bulk=True,
        quota_module=kind.resource if counted else "",
        success=success,
        errors=(kind.not_found,),
        description=RESTORE,
    )
    def restore(self: ResourceViewSet, request: Request, data: JsonObject) -> object:
        restored = restore_many(
            kind, actor_id=self.actor.member_id, selection=self.selection(), automation=data["automation"] != "skip"
        )
        return restored_response(self, restored)

    return restore


class BulkJobViewSet(ResourceViewSet):
    module = "contact"
    alternate_modules = ("lead", "product-service", "genie", "workflow")
    listing = Listing("List bulk jobs", listed_jobs, BULK_JOB_FIELDS, BulkJobOut, description=WHOSE)

    @endpoint("Read a bulk job", output=BulkJobOut, description=f"With its progress. {WHOSE}", errors=("NotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        return job_answer(self.find(id).pk)

    @endpoint(
        "Pause, resume or cancel a bulk job",
        input=BulkJobUpdate,
        output=BulkJobOut,
        success="BulkJobUpdated_200",
        errors=("NotFound_404", "InvalidRequest_400"),
        description=f"A job at work stops after its batch. What it has done stays done, and can be undone. {WHOSE}",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        return job_answer(move_job(id=self.find(id).pk, status=data["status"]).pk)

    @action(detail=False, url_path="under-way")
    @endpoint(
        "Read what is under way in the background",
        output=UnderWayOut,
        alternate_modules=(*alternate_modules, "file"),
        description="Imports, exports, outreach that is being written, and bulk jobs of what the caller may read, the"
        " newest first.",
    )
    def under_way(self, request: Request) -> object:
        return {"work": work_under_way(self.actor)}

    @action(detail=True, methods=["post"])
    @endpoint(
        "Undo a bulk job",
        input=BulkJobUndo,
        output=BulkJobOut,
        success="BulkJobUndoStarted_201",
        errors=("NotFound_404", "InvalidRequest_400", "UnauthorizedAction_403"),
        description="For 30 days after its start. A worker gives the records back what they were before, as a bulk job"
        " of its own, which is answered. What somebody has changed since stays, as does a record whose unique key"
        " another one has now, or that the plan has no room for: `report` tells of them. Undoing an update takes the"
        " right to update, undoing a deletion or a restoring that to delete, and undoing an update of a lead that"
        " changed its contact the right to update contacts, too. Emits <resource>.updated, <resource>.restored for"
        " records that were deleted, and <resource>.deleted for records that were restored.",
    )
    def undo(self, request: Request, id: str, data: JsonObject) -> object:
        job = self.find(id)
        needed = [(module_of(job.panel), RIGHTS.get(job.action, "PUT"))]
        needed += [(module_of(panel), "PUT") for panel in other_changed_panels(job)]
        for module, right in needed:
            if not may(self.actor, module, right):
                raise PermissionLacking(f"{module}.{right}")
        undoing = undo_bulk_job(id=job.pk, actor_id=self.actor.member_id, automation=data["automation"] != "skip")
        return job_answer(undoing.pk)

    def find(self, id: str) -> BulkJob:
        """Return the job if the actor has the permission of the request. Raises NotFound_404."""
        job = visible_jobs(self.actor, self.request.method or "GET").filter(pk=id).first()
        if job is None:
            raise not_found()
        return job
