"""Endpoints of templates of workflows."""

from __future__ import annotations

from rest_framework.decorators import action
from rest_framework.request import Request

from core.access import Actor
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from workflows.definitions import services
from workflows.definitions.handles import handles_of
from workflows.definitions.installation import install_template, template_detail
from workflows.definitions.selectors import graph_of
from workflows.definitions.serializers import WorkflowDetail
from workflows.definitions.starters import templates
from workflows.definitions.template_serializers import (
    WorkflowInstall,
    WorkflowInstalled,
    WorkflowTemplate,
    WorkflowTemplates,
)
from workflows.graphs.models import Workflow, WorkflowVersion

HOOKS = "/api/public/workflow-hooks/"


def workflow_detail(id: str, actor: Actor) -> JsonObject:
    """Return a workflow as its endpoints show it to the actor."""
    workflow = services.get_workflow(id)
    detail = WorkflowDetail.one(Workflow.objects.filter(pk=id)) or {}
    version = WorkflowVersion.objects.filter(pk=workflow.version_id).first() if workflow.version_id else None
    # A member who cannot publish it needs no rights for it.
    may = actor.may_on_all if actor.may(services.MODULE, "POST") else None
    return {
        **detail,
        "hasChanges": version is None or version.graph != graph_of(workflow),
        # Who has it can start the workflow.
        "hookPath": f"{HOOKS}{workflow.hook_token}"
        if workflow.hook_token and actor.may(services.MODULE, "PUT")
        else None,
        "handles": handles_of(workflow.nodes),
        "validation": services.validation_of(workflow, may).as_json(),
    }


class TemplateActions(ResourceViewSet, abstract=True):
    """Actions on templates, and the workflows that are made of them."""

    @action(detail=False, url_path="templates")
    @endpoint(
        "Read the templates of workflows",
        output=WorkflowTemplates,
        description="POST /workflow with `template` makes a draft of one.",
    )
    def templates(self, request: Request) -> object:
        return {"templates": [{"key": key, **template} for key, template in templates().items()]}

    @action(detail=False, url_path="templates/<str:key>")
    @endpoint(
        "Read a template of workflows",
        output=WorkflowTemplate,
        errors=("NotFound_404",),
        description="With its emails as they look, the choices of its settings, what it lacks to run, and its workflows"
        " that are on.",
    )
    def template(self, request: Request, key: str) -> object:
        return template_detail(key, self.actor)

    @action(detail=False, methods=["post"], url_path="templates/<str:key>/install")
    @endpoint(
        "Install a template of workflows",
        input=WorkflowInstall,
        output=WorkflowInstalled,
        success="WorkflowCreated_201",
        errors=("NotFound_404", "InvalidInput_400", "ValidationError_400"),
        quota_module=services.MODULE,
        description="Creates its email templates and the workflow, published or not. Names that are taken get a suffix."
        " All of it is made, or nothing.",
    )
    def install(self, request: Request, key: str, data: JsonObject) -> object:
        installed = install_template(key=key, member_id=self.actor.member_id, may=self.actor.may_on_all, **data)
        return {**workflow_detail(installed.workflow.pk, self.actor), "templates": installed.templates}
