"""Endpoints of runs (contract 4.7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from core.access import Actor
from core.api.endpoint import endpoint
from core.api.envelope import QUEUED, respond
from core.api.listing import Listing, ListRequest, list_action
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from core.lists import BulkSelection
from core.types import JsonObject
from workflows.engine import operations
from workflows.engine.models import RunStep, WorkflowRun
from workflows.runs.filters import PLAIN_RUN_FIELDS, RUN_FIELDS, STEP_FIELDS
from workflows.runs.retries import redrive
from workflows.runs.selectors import reads_events, reads_records, reads_values
from workflows.runs.serializers import (
    GuardedRunDetail,
    GuardedRunOut,
    PlainRunDetail,
    PlainRunOut,
    PlainStepOut,
    WorkflowRunDelete,
    WorkflowRunDetail,
    WorkflowRunOut,
    WorkflowRunRedrive,
    WorkflowRunRestart,
    WorkflowRunResume,
    WorkflowRunsRedriven,
    WorkflowStepOut,
)
from workflows.triggers.enrolment import check_input

NOT_FOUND = (operations.NOT_FOUND,)
STATE = (*NOT_FOUND, "InvalidRequest_400")


def _get_run(id: str, actor: Actor) -> JsonObject:
    run = WorkflowRun.objects.filter(pk=id).first()
    detail = None if run is None else _output_for(actor, run).one(WorkflowRun.objects.filter(pk=id))
    if detail is None:
        raise _not_found()
    return detail


def _output_for(actor: Actor, run: WorkflowRun) -> type[WorkflowRunDetail]:
    """Return the output of a run with the values that the actor may read."""
    if not reads_records(actor):
        return PlainRunDetail
    return WorkflowRunDetail if reads_values(actor, run) else GuardedRunDetail


def _not_found() -> NamedError:
    return NamedError(operations.NOT_FOUND, "there is no such run in this company", field="runId")


def _steps(list_request: ListRequest) -> QuerySet[RunStep]:
    id = list_request.path["runId"]
    if not WorkflowRun.objects.filter(pk=id).exists():
        raise _not_found()
    steps: QuerySet[RunStep] = RunStep.objects.filter(run=id)
    return steps


class WorkflowRunViewSet(ResourceViewSet):
    module = "workflow"
    lookup_url_kwarg = "runId"
    listing = Listing(
        "List runs of workflows",
        WorkflowRun.objects.all,
        RUN_FIELDS,
        WorkflowRunOut,
        description="Roles that may not read contacts and leads see no values of theirs, and filter by none.",
    )

    def answer_list(self, listing: Listing) -> Any:
        if listing is not self.listing:
            listing = self._listing_of_steps(listing)
        elif not reads_records(self.actor):
            listing = replace(listing, output=PlainRunOut, fields=PLAIN_RUN_FIELDS)
        elif not reads_events(self.actor):
            listing = replace(listing, output=GuardedRunOut)
        return super().answer_list(listing)

    def _listing_of_steps(self, listing: Listing) -> Listing:
        """Return the list of a run's steps with the values that the actor may read."""
        run = WorkflowRun.objects.filter(pk=self.kwargs["runId"]).first()
        is_shown = run is not None and reads_values(self.actor, run)
        return listing if is_shown else replace(listing, output=PlainStepOut)

    def selection(self) -> BulkSelection:
        fields = RUN_FIELDS if reads_records(self.actor) else PLAIN_RUN_FIELDS
        return BulkSelection.parse(self.request.data, self.request.query_params, fields)

    @endpoint("Read a run", output=WorkflowRunDetail, errors=NOT_FOUND)
    def retrieve(self, request: Request, runId: str) -> object:
        return _get_run(runId, self.actor)

    @endpoint(
        "Delete runs",
        input=WorkflowRunDelete,
        output=Deleted,
        bulk=True,
        success="WorkflowRunsDeleted_200",
        errors=NOT_FOUND,
        description="With their steps. Those that are under way end; what they have done stays.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": operations.delete_runs(selection=self.selection())}

    @endpoint("Delete a run", success="WorkflowRunDeleted_200", errors=NOT_FOUND)
    def destroy(self, request: Request, runId: str) -> None:
        operations.delete_run(id=runId)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Pause a run",
        output=WorkflowRunDetail,
        success="WorkflowRunPaused_200",
        errors=STATE,
        description="No step of it begins after the answer. What it waits for stays.",
        transition=True,
    )
    def pause(self, request: Request, runId: str) -> object:
        operations.pause_run(id=runId)
        return _get_run(runId, self.actor)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Resume a run",
        input=WorkflowRunResume,
        output=WorkflowRunDetail,
        success="WorkflowRunResumed_200",
        errors=STATE,
        description="A paused one goes on where it was; waits that are over by then end at once. A failed one tries"
        " the nodes again that failed.",
        transition=True,
    )
    def resume(self, request: Request, runId: str, data: JsonObject) -> object:
        operations.resume_run(id=runId, shift=data["shift"])
        return _get_run(runId, self.actor)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Cancel a run", output=WorkflowRunDetail, success="WorkflowRunCancelled_200", errors=STATE, transition=True
    )
    def cancel(self, request: Request, runId: str) -> object:
        operations.cancel_run(id=runId)
        return _get_run(runId, self.actor)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Restart a run",
        input=WorkflowRunRestart,
        output=WorkflowRunDetail,
        success="WorkflowRunRestarted_200",
        errors=STATE,
        description="From its start, from the nodes that failed, or from a node. Its steps stay as history. With the"
        " latest version, `failed` goes on where that has the nodes at which the run stands, with the same types.",
    )
    def restart(self, request: Request, runId: str, data: JsonObject) -> object:
        run_input = data.get("input")
        if run_input is not None:
            check_input(run_input)
        operations.restart_run(
            id=runId,
            may=self.actor.may_on_all,
            place=data["place"],
            latest=data["version"] == "latest",
            resend=data["resend"],
            given=run_input,
        )
        return _get_run(runId, self.actor)

    @action(detail=False, methods=["post"])
    @endpoint(
        "Restart many runs",
        input=WorkflowRunRedrive,
        output=WorkflowRunsRedriven,
        bulk=True,
        queues=True,
        success=QUEUED,
        errors=STATE,
        description="A job restarts them one by one, from the nodes that failed unless `from` says otherwise, and"
        " counts those that cannot be, such as runs of records that have another one under way; its report says why.",
    )
    def redrive(self, request: Request, data: JsonObject) -> object:
        job, number = redrive(
            member_id=self.actor.member_id,
            selection=self.selection(),
            **{name: data[name] for name in ("place", "version", "resend")},
        )
        return respond(QUEUED, {"selectedCount": number}, bulkJob=job.pk)

    steps = list_action(
        Listing("List the steps of a run", _steps, STEP_FIELDS, WorkflowStepOut, errors=NOT_FOUND),
        url_path="steps",
        detail=True,
    )
