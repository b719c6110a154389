"""Endpoints of approvals: the questions of runs to oneself."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.input import BooleanInput, Input, TextInput
from core.api.listing import Listing
from core.api.output import IdField, Output
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from core.lists import FieldSet, ListField
from workflows.approvals import services
from workflows.engine.models import RunApproval

FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("text", "text", "text", nullable=False, searchable=True),
        ListField("run", "id", "run_id", nullable=False),
        ListField("until", "date", "until", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("text",),
)


class WorkflowApprovalAnswer(Input):
    """One's answer."""

    approved = BooleanInput(help_text="true: the run goes on by approved; false: by rejected.")
    comment = TextInput(max_length=2000, required=False, allow_blank=True)


class WorkflowApprovalOut(Output):
    """A question of a run to members."""

    _id = IdField()
    run = IdField(source="run_id")
    workflow = IdField(source="run.workflow_id")
    contact = IdField(source="run.contact_id", allow_null=True)
    lead = IdField(source="run.lead_id", allow_null=True)
    node = serializers.CharField()
    text = serializers.CharField()
    status = serializers.ChoiceField(choices=RunApproval.Status.values)
    comment = serializers.CharField()
    answeredBy = IdField(source="answered_by_id", allow_null=True)
    answeredAt = serializers.DateTimeField(allow_null=True)
    until = serializers.DateTimeField()
    createdAt = serializers.DateTimeField()


class WorkflowApprovalViewSet(ResourceViewSet):
    module = "workflow"
    listing = Listing(
        "List one's approvals",
        lambda asked: services.approvals_of(asked.actor.member_id),
        FIELDS,
        WorkflowApprovalOut,
        description="The questions of runs that one may answer, and those that one might have; status open: not yet.",
    )

    @endpoint("Read an approval", output=WorkflowApprovalOut, errors=(services.NOT_FOUND,))
    def retrieve(self, request: Request, id: str) -> Any:
        return self._one(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Answer an approval",
        input=WorkflowApprovalAnswer,
        output=WorkflowApprovalOut,
        permission="GET",
        success="WorkflowApprovalAnswered_200",
        errors=(services.NOT_FOUND, services.ANSWERED),
        description="The first answer counts. Whoever is asked may answer, without the permission to change workflows.",
    )
    def answer(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        services.answer(id=id, member_id=self.actor.member_id, **data)
        return self._one(id)

    def _one(self, id: str) -> dict[str, Any]:
        found = WorkflowApprovalOut.one(services.approvals_of(self.actor.member_id).filter(pk=id))
        if found is None:
            raise NamedError(services.NOT_FOUND, "id: there is no such question to you in this company")
        return found
