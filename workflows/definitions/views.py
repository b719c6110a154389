"""Endpoints of workflows (contract 4.7)."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest, list_action
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from core.lists import BulkSelection
from workflows.definitions import publishing, serializers, services
from workflows.definitions.catalogue import catalogue
from workflows.definitions.choices import choices_for
from workflows.definitions.filters import VERSION_FIELDS, WORKFLOW_FIELDS
from workflows.definitions.handles import handles_of
from workflows.definitions.overlay import overlay_of
from workflows.definitions.selectors import graph_of, kept_workflows
from workflows.engine import operations
from workflows.graphs.models import Workflow, WorkflowVersion
from workflows.triggers.enrolment import enrol, selected

NOT_FOUND = (services.NOT_FOUND,)
REFUSED = ("InvalidInput_400",)
UNFIT = ("ValidationError_400",)
HOOKS = "/api/public/workflow-hooks/"


def _one(id: str) -> dict[str, Any]:
    workflow = services.get_workflow(id)
    found = serializers.WorkflowDetail.one(Workflow.objects.filter(pk=id)) or {}
    version = WorkflowVersion.objects.filter(pk=workflow.version_id).first() if workflow.version_id else None
    return {
        **found,
        "hasChanges": version is None or version.graph != graph_of(workflow),
        "hookPath": f"{HOOKS}{workflow.hook_token}" if workflow.hook_token else None,
        "handles": handles_of(workflow.nodes),
        "validation": services.validation_of(workflow).as_json(),
    }


def _versions(asked: ListRequest) -> QuerySet[WorkflowVersion]:
    return WorkflowVersion.objects.filter(workflow=services.get_workflow(asked.path["id"]))


def _number(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 8:
        raise NamedError(services.NOT_FOUND, "number: versions are numbered from 1")
    return int(text)


class WorkflowViewSet(ResourceViewSet):
    module = services.MODULE
    listing = Listing("List workflows", kept_workflows, WORKFLOW_FIELDS, serializers.WorkflowOut)

    @endpoint(
        "Create a workflow",
        input=serializers.WorkflowCreate,
        output=serializers.WorkflowDetail,
        success="WorkflowCreated_201",
        errors=REFUSED,
        takes=services.MODULE,
        description="A draft, which may be unfinished: `validation` says what is wrong. It runs once it is published.",
    )
    def create(self, request: Request, data: dict[str, Any]) -> Any:
        return _one(services.create_workflow(member_id=self.actor.member_id, **data).pk)

    @endpoint("Read a workflow", output=serializers.WorkflowDetail, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> Any:
        return _one(id)

    @endpoint(
        "Update a workflow",
        input=serializers.WorkflowUpdate,
        output=serializers.WorkflowDetail,
        success="WorkflowUpdated_200",
        errors=(*NOT_FOUND, *REFUSED, *UNFIT, "RecordChanged_409"),
        description="Changes the draft; runs go by the published version until the next one. A status of published"
        " publishes the draft, unpublished and paused hold its runs.",
    )
    def update(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        services.update_workflow(id=id, member_id=self.actor.member_id, **data)
        return _one(id)

    @endpoint(
        "Delete workflows",
        input=serializers.WorkflowDelete,
        output=Deleted,
        bulk=True,
        success="WorkflowsDeleted_200",
        errors=NOT_FOUND,
        description="Their runs are cancelled; what they have done stays.",
    )
    def bulk_destroy(self, request: Request, data: dict[str, Any]) -> Any:
        return {"deletedCount": services.delete_workflows(member_id=self.actor.member_id, selection=self.selection())}

    @endpoint("Delete a workflow", output=Deleted, success="WorkflowsDeleted_200", errors=NOT_FOUND)
    def destroy(self, request: Request, id: str) -> Any:
        selection = BulkSelection.of_ids([id])
        return {"deletedCount": services.delete_workflows(member_id=self.actor.member_id, selection=selection)}

    @action(detail=True, methods=["post"])
    @endpoint(
        "Publish a workflow",
        output=serializers.WorkflowDetail,
        success="WorkflowPublished_200",
        errors=(*NOT_FOUND, *UNFIT),
        description="The draft becomes the version by which new runs go; runs under way keep theirs. Where the draft"
        " cannot run, `errors` beside the warning names all problems by node.",
    )
    def publish(self, request: Request, id: str) -> Any:
        publishing.publish_workflow(id=id, member_id=self.actor.member_id)
        return _one(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Unpublish a workflow",
        output=serializers.WorkflowDetail,
        success="WorkflowUnpublished_200",
        errors=NOT_FOUND,
        description="Nothing of it runs from now on. Its runs are held, and go on when it is published again.",
    )
    def unpublish(self, request: Request, id: str) -> Any:
        publishing.unpublish_workflow(id=id, member_id=self.actor.member_id)
        return _one(id)

    @action(detail=True, methods=["post"], url_path="runs/pause")
    @endpoint(
        "Pause every run of a workflow",
        output=serializers.WorkflowRunsHeld,
        success="WorkflowRunsPaused_200",
        errors=NOT_FOUND,
        description="All that are under way, at once. New runs begin.",
    )
    def pause_runs(self, request: Request, id: str) -> Any:
        services.get_workflow(id)
        return {"count": operations.pause_runs(workflow_id=id)}

    @action(detail=True, methods=["post"], url_path="runs/resume")
    @endpoint(
        "Resume the runs of a workflow that were paused together",
        output=serializers.WorkflowRunsHeld,
        success="WorkflowRunsResumed_200",
        errors=(*NOT_FOUND, "InvalidRequest_400"),
    )
    def resume_runs(self, request: Request, id: str) -> Any:
        services.get_workflow(id)
        return {"count": operations.resume_runs(workflow_id=id)}

    @action(detail=True, methods=["post"])
    @endpoint(
        "Start runs by hand",
        input=serializers.WorkflowEnrol,
        output=serializers.WorkflowEnrolled,
        bulk=True,
        success="WorkflowEnrolled_201",
        errors=(*NOT_FOUND, "InvalidRequest_400", *REFUSED),
        description="For the selected records, or without a selection for none: a single run. At most 10,000 at once.",
    )
    def enrol(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        selection = selected(data["panel"], dict(request.data or {}), request.query_params)
        return enrol(
            workflow=services.get_workflow(id),
            member_id=self.actor.member_id,
            panel=data["panel"],
            selection=selection,
            given=data.get("input") or {},
        )

    @action(detail=True, methods=["post"])
    @endpoint(
        "Duplicate a workflow",
        output=serializers.WorkflowDetail,
        success="WorkflowCreated_201",
        errors=NOT_FOUND,
        takes=services.MODULE,
    )
    def duplicate(self, request: Request, id: str) -> Any:
        return _one(services.duplicate_workflow(id=id, member_id=self.actor.member_id).pk)

    @action(detail=True, url_path="export")
    @endpoint("Export a workflow", output=serializers.WorkflowFile, errors=NOT_FOUND)
    def export(self, request: Request, id: str) -> Any:
        return services.export_workflow(id)

    @action(detail=False, methods=["post"], url_path="import")
    @endpoint(
        "Import a workflow",
        input=serializers.WorkflowImport,
        output=serializers.WorkflowDetail,
        success="WorkflowCreated_201",
        errors=REFUSED,
        takes=services.MODULE,
        description="A draft. Ids of tags, members and the like are those of the company that it comes from.",
    )
    def import_file(self, request: Request, data: dict[str, Any]) -> Any:
        return _one(services.create_workflow(member_id=self.actor.member_id, **data).pk)

    @action(detail=False, url_path="catalogue")
    @endpoint("Read what workflows are made of", output=serializers.WorkflowCatalogue)
    def catalogue(self, request: Request) -> Any:
        return catalogue()

    @action(detail=False, url_path="choices")
    @endpoint(
        "Read what the settings of nodes are chosen from",
        output=serializers.WorkflowChoices,
        description="The first 200 tags, members, teams, fixed segments, templates and workflows by name, and the"
        " fields of contacts and leads. By session those of which the role has the permission; the others are null.",
    )
    def choices(self, request: Request) -> Any:
        actor = self.actor
        return choices_for(lambda module: actor.is_unbounded or actor.may(module, "GET"))

    @action(detail=True, url_path="overlay")
    @endpoint("Read how runs stand in the graph", output=serializers.WorkflowOverlay, errors=NOT_FOUND)
    def overlay(self, request: Request, id: str) -> Any:
        return overlay_of(services.get_workflow(id).pk)

    versions = list_action(
        Listing(
            "List the versions of a workflow",
            _versions,
            VERSION_FIELDS,
            serializers.WorkflowVersionOut,
            errors=NOT_FOUND,
        ),
        url_path="versions",
        detail=True,
    )

    @action(detail=True, url_path="versions/<str:number>")
    @endpoint("Read a version of a workflow", output=serializers.WorkflowVersionDetail, errors=NOT_FOUND)
    def version(self, request: Request, id: str, number: str) -> Any:
        services.get_workflow(id)
        found = publishing.get_version(id, _number(number))
        return serializers.WorkflowVersionDetail.one(WorkflowVersion.objects.filter(pk=found.pk))

    @action(detail=True, methods=["post"], url_path="versions/<str:number>/restore")
    @endpoint(
        "Make a version the draft again",
        output=serializers.WorkflowDetail,
        success="WorkflowUpdated_200",
        errors=NOT_FOUND,
    )
    def restore_version(self, request: Request, id: str, number: str) -> Any:
        publishing.restore_version(id=id, number=_number(number), member_id=self.actor.member_id)
        return _one(id)
