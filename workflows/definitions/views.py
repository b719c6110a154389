"""Endpoints of workflows (contract 4.7)."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request

from accounts.settings.formats import zone_of_company
from core.access import Actor, may_read
from core.api.endpoint import endpoint
from core.api.envelope import respond
from core.api.listing import Listing, ListRequest, list_action
from core.api.output import Deleted
from core.errors import NamedError, PermissionLacking
from core.lists import BulkSelection
from core.spans import read_moment
from core.tenancy import company_id
from core.types import JsonObject
from workflows.definitions import publishing, serializers, services
from workflows.definitions.backlog import backlog
from workflows.definitions.catalogue import catalogue
from workflows.definitions.choices import choices_for
from workflows.definitions.comparison import compare
from workflows.definitions.filters import VERSION_FIELDS, WORKFLOW_FIELDS
from workflows.definitions.installation import install_template
from workflows.definitions.overlay import overlay_of
from workflows.definitions.references import references_at
from workflows.definitions.selectors import draft_of, kept_workflows
from workflows.definitions.template_views import TemplateActions, workflow_detail
from workflows.definitions.trial_records import trial_record
from workflows.engine import operations
from workflows.engine.dry_run import dry_run
from workflows.graphs.models import Workflow, WorkflowVersion
from workflows.triggers.enrolment import LOST, enrol, read_selection

NOT_FOUND = (services.NOT_FOUND,)
REFUSED = ("InvalidInput_400",)
UNFIT = ("ValidationError_400",)
NODE = OpenApiParameter("node", str, required=True, description="id of a node of the draft")
COMPARED = tuple(
    OpenApiParameter(name, str, required=True, description=f"the {which} one: its number, or draft")
    for name, which in (("a", "earlier"), ("b", "later"))
)
OVERLAID = (
    OpenApiParameter("version", str, description="the number of a version; all of them unless given"),
    OpenApiParameter("since", str, description="ISO time: what was done from its hour on; 90 days unless given"),
)


def _of_template(actor: Actor, key: str, values: JsonObject) -> Workflow:
    """Create the draft of a template, with other values in the places of its own."""
    return install_template(key=key, member_id=actor.member_id, may=actor.may_on_all, **values).workflow


def _time(text: str | None, where: str) -> datetime | None:
    if not text:
        return None
    moment = read_moment(text, zone_of_company(company_id()))
    if moment is None:
        raise NamedError("InvalidInput_400", "needs a time, such as 2026-01-31T09:00:00Z", field=where)
    return moment


def _versions(list_request: ListRequest) -> QuerySet[WorkflowVersion]:
    versions: QuerySet[WorkflowVersion] = WorkflowVersion.objects.filter(
        workflow=services.get_workflow(list_request.path["id"])
    )
    return versions


class WorkflowViewSet(TemplateActions):
    module = services.MODULE
    listing = Listing("List workflows", kept_workflows, WORKFLOW_FIELDS, serializers.WorkflowOut)

    @endpoint(
        "Create a workflow",
        input=serializers.WorkflowCreateBy,
        output=serializers.WorkflowDetail,
        success="WorkflowCreated_201",
        errors=REFUSED,
        quota_module=services.MODULE,
        description="A draft, which may be unfinished: `validation` says what is wrong. It runs once it is published.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        key = data.pop("template", None)
        if key is not None:
            return workflow_detail(_of_template(self.actor, key, data).pk, self.actor)
        return workflow_detail(services.create_workflow(member_id=self.actor.member_id, **data).pk, self.actor)

    @endpoint("Read a workflow", output=serializers.WorkflowDetail, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> object:
        return workflow_detail(id, self.actor)

    @endpoint(
        "Update a workflow",
        input=serializers.WorkflowUpdate,
        output=serializers.WorkflowDetail,
        success="WorkflowUpdated_200",
        errors=(*NOT_FOUND, *REFUSED, *UNFIT, "RecordChanged_409"),
        description="Changes the draft; runs go by the published version until the next one. A status of published"
        " publishes the draft, unpublished and paused hold its runs.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        services.update_workflow(id=id, member_id=self.actor.member_id, may=self.actor.may_on_all, **data)
        return workflow_detail(id, self.actor)

    @endpoint(
        "Delete workflows",
        input=serializers.WorkflowDelete,
        output=Deleted,
        bulk=True,
        success="WorkflowsDeleted_200",
        errors=NOT_FOUND,
        description="Their runs are cancelled; what they have done stays.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": services.delete_workflows(member_id=self.actor.member_id, selection=self.selection())}

    @endpoint("Delete a workflow", output=Deleted, success="WorkflowsDeleted_200", errors=NOT_FOUND)
    def destroy(self, request: Request, id: str) -> object:
        selection = BulkSelection.of_ids([id])
        return {"deletedCount": services.delete_workflows(member_id=self.actor.member_id, selection=selection)}

    @action(detail=True, methods=["post"])
    @endpoint(
        "Publish a workflow",
        input=serializers.WorkflowPublish,
        output=serializers.WorkflowPublished,
        success="WorkflowPublished_200",
        other_successes=("OK_200",),
        errors=(*NOT_FOUND, *UNFIT),
        description="The draft becomes the version by which new runs go; runs under way keep theirs unless `runs` says"
        " otherwise. Where the draft cannot run, `errors` beside the warning names all problems by node.",
        transition=True,
    )
    def publish(self, request: Request, id: str, data: JsonObject) -> object:
        runs = publishing.publish_workflow(id=id, member_id=self.actor.member_id, may=self.actor.may_on_all, **data)
        answer = {**workflow_detail(id, self.actor), "runs": runs}
        return respond("OK_200", answer) if data["dry_run"] else answer

    @action(detail=True, methods=["post"])
    @endpoint(
        "Unpublish a workflow",
        output=serializers.WorkflowDetail,
        success="WorkflowUnpublished_200",
        errors=NOT_FOUND,
        description="Nothing of it runs from now on. Its runs are held, and go on when it is published again.",
        transition=True,
    )
    def unpublish(self, request: Request, id: str) -> object:
        publishing.unpublish_workflow(id=id, member_id=self.actor.member_id)
        return workflow_detail(id, self.actor)

    @action(detail=True, methods=["post"], url_path="runs/pause")
    @endpoint(
        "Pause every run of a workflow",
        output=serializers.WorkflowRunsHeld,
        success="WorkflowRunsPaused_200",
        errors=NOT_FOUND,
        description="All that are under way, at once. New runs begin.",
    )
    def pause_runs(self, request: Request, id: str) -> object:
        services.get_workflow(id)
        return self._count_response(operations.pause_runs(workflow_id=id))

    @action(detail=True, methods=["post"], url_path="runs/resume")
    @endpoint(
        "Resume the runs of a workflow that were paused together",
        output=serializers.WorkflowRunsHeld,
        success="WorkflowRunsResumed_200",
        errors=(*NOT_FOUND, "InvalidRequest_400"),
    )
    def resume_runs(self, request: Request, id: str) -> object:
        services.get_workflow(id)
        return self._count_response(operations.resume_runs(workflow_id=id))

    def _count_response(self, count: int) -> Any:
        """Answer with the number of runs, and a warning where there is none."""
        note = {} if count else {"warning": "no run has changed: none of the workflow's is in the state for it"}
        return self.success({"count": count}, **note)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Start runs by hand",
        input=serializers.WorkflowEnrol,
        output=serializers.WorkflowEnrolled,
        bulk=True,
        success="WorkflowEnrolled_201",
        errors=(*NOT_FOUND, *LOST.values(), "InvalidRequest_400", *REFUSED, "UnauthorizedAction_403"),
        description="For the selected records, at most 10,000 at once, or with withoutRecord a single run about none."
        " Records are for roles that may read them.",
    )
    def enrol(self, request: Request, id: str, data: JsonObject) -> object:
        selection = read_selection(data["panel"], dict(request.data or {}), request.query_params)
        if selection is not None and not may_read(self.actor, data["panel"]):
            raise PermissionLacking(f"{data['panel']}.GET", ", since runs read the records", field="panel")
        return enrol(
            workflow=services.get_workflow(id),
            member_id=self.actor.member_id,
            panel=data["panel"],
            selection=selection,
            given=data.get("input") or {},
        )

    @action(detail=True, methods=["post"])
    @endpoint(
        "Run a draft or a version dry",
        input=serializers.WorkflowTest,
        output=serializers.WorkflowTested,
        errors=(*NOT_FOUND, *REFUSED, "UnauthorizedAction_403"),
        description="Goes through the draft, unfinished or not, or a version, as a run would: nodes work in a"
        " transaction that is rolled back, so nothing is written, sent or called. Waits are jumped. A node that is"
        " wrong fails when the run comes to it. At most 500 steps and 10 seconds.",
    )
    def test(self, request: Request, id: str, data: JsonObject) -> object:
        workflow = services.get_workflow(id)
        number = data.get("version")
        graph = draft_of(workflow) if number is None else publishing.graph_numbered(workflow, str(number), "version")
        about = trial_record(graph, data, partial(may_read, self.actor))
        return dry_run(
            workflow=workflow,
            graph=graph,
            member_id=self.actor.member_id,
            subject=about.subject,
            trigger=about.payload,
            object_id=about.object_id,
            pinned=data.get("pinned"),
            until=data.get("until"),
            may=self.actor.may_on_all,
        )

    @action(detail=True, methods=["post"])
    @endpoint(
        "Duplicate a workflow",
        output=serializers.WorkflowDetail,
        success="WorkflowCreated_201",
        errors=NOT_FOUND,
        quota_module=services.MODULE,
    )
    def duplicate(self, request: Request, id: str) -> object:
        return workflow_detail(services.duplicate_workflow(id=id, member_id=self.actor.member_id).pk, self.actor)

    @action(detail=True, url_path="export")
    @endpoint("Export a workflow", output=serializers.WorkflowFile, errors=NOT_FOUND)
    def export(self, request: Request, id: str) -> object:
        return services.export_workflow(id)

    @action(detail=False, methods=["post"], url_path="import")
    @endpoint(
        "Import a workflow",
        input=serializers.WorkflowImport,
        output=serializers.WorkflowDetail,
        success="WorkflowCreated_201",
        errors=REFUSED,
        quota_module=services.MODULE,
        description="A draft. Ids of tags, members and the like are those of the company that it comes from.",
    )
    def import_file(self, request: Request, data: JsonObject) -> object:
        return workflow_detail(services.create_workflow(member_id=self.actor.member_id, **data).pk, self.actor)

    @action(detail=False, url_path="catalogue")
    @endpoint(
        "Read what workflows are made of",
        description="Kinds of nodes with the JSON Schema of their settings, triggers, filters, and limits.",
        output=serializers.WorkflowCatalogue,
    )
    def catalogue(self, request: Request) -> object:
        return catalogue()

    @action(detail=False, url_path="backlog")
    @endpoint(
        "Read what waits to begin",
        output=serializers.WorkflowBacklog,
        description="Nothing fails by a limit: a run over the plan's quota, a rate or a workflow's concurrency waits.",
    )
    def backlog(self, request: Request) -> object:
        return backlog()

    @action(detail=False, url_path="choices")
    @endpoint(
        "Read what the settings of nodes are chosen from",
        output=serializers.WorkflowChoices,
        description="The first 200 tags, members, teams, fixed segments, templates, workflows, roles and secrets (with"
        " their hosts) by name, the senders of mail, the AI types that are connected (_id is the type), the languages"
        " that messages are written in, the stages of leads with their pipelines, and the fields of contacts and leads."
        " By session those of which the role has the permission; the others are null.",
    )
    def choices(self, request: Request) -> object:
        actor = self.actor
        return choices_for(lambda module: actor.is_unbounded or actor.may(module, "GET"))

    @action(detail=True, url_path="overlay")
    @endpoint(
        "Read how runs stand in the graph",
        output=serializers.WorkflowOverlay,
        parameters=OVERLAID,
        errors=(*NOT_FOUND, *REFUSED),
    )
    def overlay(self, request: Request, id: str) -> object:
        workflow = services.get_workflow(id)
        number = request.query_params.get("version")
        version = publishing.get_version(id, publishing.read_number(number)).pk if number else None
        return overlay_of(workflow.pk, version, _time(request.query_params.get("since"), "since"))

    @action(detail=True, url_path="references")
    @endpoint(
        "Read what a node of the draft may refer to",
        output=serializers.WorkflowReferences,
        parameters=(NODE,),
        errors=(*NOT_FOUND, *REFUSED),
        description="Examples come from the latest run, the latest event and the newest record that the role shows.",
    )
    def references(self, request: Request, id: str) -> object:
        workflow = services.get_workflow(id)
        node = request.query_params.get("node", "")
        shown = partial(may_read, self.actor)
        return {"references": references_at(workflow, draft_of(workflow), node, shown)}

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

    @action(detail=True, url_path="versions/diff")
    @endpoint(
        "Compare two versions of a workflow",
        output=serializers.WorkflowDiff,
        parameters=COMPARED,
        errors=(*NOT_FOUND, *REFUSED),
    )
    def diff(self, request: Request, id: str) -> object:
        workflow = services.get_workflow(id)
        before, after = (publishing.graph_numbered(workflow, request.query_params.get(name, ""), name) for name in "ab")
        return compare(before, after)

    @action(detail=True, url_path="versions/<str:number>")
    @endpoint("Read a version of a workflow", output=serializers.WorkflowVersionDetail, errors=NOT_FOUND)
    def version(self, request: Request, id: str, number: str) -> object:
        services.get_workflow(id)
        workflow_version = publishing.get_version(id, publishing.read_number(number))
        return serializers.WorkflowVersionDetail.one(WorkflowVersion.objects.filter(pk=workflow_version.pk))

    @action(detail=True, methods=["post"], url_path="versions/<str:number>/restore")
    @endpoint(
        "Make a version the draft again",
        output=serializers.WorkflowDetail,
        success="WorkflowUpdated_200",
        errors=NOT_FOUND,
    )
    def restore_version(self, request: Request, id: str, number: str) -> object:
        publishing.restore_version(id=id, number=publishing.read_number(number), member_id=self.actor.member_id)
        return workflow_detail(id, self.actor)
