"""Endpoints of approvals: the questions of runs, to oneself and to others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request

from core.access import Actor, may_read
from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError, shorten
from core.lists import FieldSet, ListField
from core.lists.values import refuse
from core.types import JsonObject
from workflows.approvals import services
from workflows.approvals.serializers import (
    GuardedApprovalOut,
    PlainApprovalOut,
    WorkflowApprovalAnswer,
    WorkflowApprovalOut,
)
from workflows.engine.models import RunApproval
from workflows.runs.selectors import reads_events, reads_records

MODULE = "workflow"
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
PLAIN_FIELDS = FieldSet(
    [field for field in FIELDS.fields.values() if field.name != "text"], default_sort=("createdAt",)
)
"""Fields of others' questions for roles that may not read their texts."""
WHOSE = OpenApiParameter(
    "whose", str, enum=["mine", "all"], description="mine (unless given): those to oneself; all: takes workflow.GET"
)


def _may_see_all(actor: Actor) -> bool:
    return may_read(actor, MODULE)


def _list_approvals(list_request: ListRequest) -> QuerySet[RunApproval]:
    whose = list_request.params.get("whose", "mine")
    if whose not in ("mine", "all"):
        raise refuse("whose", f"is mine or all, got {shorten(whose, 40)!r}")
    if whose == "mine":
        return _annotate_asked(services.approvals_of(list_request.actor.member_id), list_request.actor)
    if not _may_see_all(list_request.actor):
        raise NamedError("UnauthorizedAction_403", f"all takes the permission {MODULE}.GET", field="whose")
    return _annotate_asked(RunApproval.objects.all(), list_request.actor)


def _annotate_asked(approvals: QuerySet[RunApproval], actor: Actor) -> QuerySet[RunApproval]:
    """Add to questions whether the actor is asked."""
    is_asked = Q(members__contains=[actor.member_id])
    return approvals.annotate(is_asked=ExpressionWrapper(is_asked, output_field=BooleanField()))


def _output_for(actor: Actor) -> type[WorkflowApprovalOut]:
    """Return the output of questions with the values that the actor may read."""
    if not reads_records(actor):
        return PlainApprovalOut
    return WorkflowApprovalOut if reads_events(actor) else GuardedApprovalOut


class WorkflowApprovalViewSet(ResourceViewSet):
    module = MODULE
    listing = Listing(
        "List approvals",
        _list_approvals,
        FIELDS,
        WorkflowApprovalOut,
        parameters=(WHOSE,),
        any_member=True,
        description="The questions of runs that one may answer, and those that one might have; status open: not yet."
        " Roles that may not read contacts and leads see no names of theirs, and no text of questions to others.",
    )

    def answer_list(self, listing: Listing) -> Any:
        output = _output_for(self.actor)
        if output is not WorkflowApprovalOut:
            is_own = self.request.query_params.get("whose", "mine") == "mine"
            listing = replace(listing, output=output, fields=FIELDS if is_own else PLAIN_FIELDS)
        return super().answer_list(listing)

    @endpoint("Read an approval", output=WorkflowApprovalOut, errors=(services.NOT_FOUND,), any_member=True)
    def retrieve(self, request: Request, id: str) -> object:
        return self._get_approval(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Answer an approval",
        input=WorkflowApprovalAnswer,
        output=WorkflowApprovalOut,
        permission="GET",
        any_member=True,
        success="WorkflowApprovalAnswered_200",
        errors=(services.NOT_FOUND, services.ANSWERED),
        description="The first answer counts. Whoever is asked may answer, whatever their role, and nobody else.",
    )
    def answer(self, request: Request, id: str, data: JsonObject) -> object:
        services.answer(id=id, member_id=self.actor.member_id, **data)
        return self._get_approval(id)

    def _get_approval(self, id: str) -> JsonObject:
        rows = RunApproval.objects.all() if _may_see_all(self.actor) else services.approvals_of(self.actor.member_id)
        approval = _output_for(self.actor).one(_annotate_asked(rows.filter(pk=id), self.actor))
        if approval is None:
            raise NamedError(services.NOT_FOUND, "there is no such question to you in this company", field="id")
        return approval
