"""Bodies and answers of approvals."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework import serializers

from accounts.models import Member
from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, TextInput
from core.api.output import Computed, IdField, Output
from core.types import JsonObject
from workflows.engine.models import RunApproval
from workflows.runs.serializers import WorkflowRunContact, WorkflowSnapshot, withheld


class WorkflowApprovalAnswer(Input):
    """One's answer."""

    approved = BooleanInput(help_text="true: the run goes on by approved; false: by rejected.")
    comment = TextInput(max_length=2000, required=False, allow_blank=True)


class WorkflowApprovalMember(Output):
    """A member who is asked."""

    _id = IdField()
    name = serializers.CharField()


class WorkflowApprovalOut(Output):
    """A question of a run to members."""

    _id = IdField()
    run = IdField(source="run_id")
    workflow = WorkflowSnapshot(source="run.workflow")
    contact = WorkflowRunContact(source="run.contact")
    lead = IdField(source="run.lead_id", allow_null=True)
    node = serializers.CharField()
    text = serializers.CharField()
    members = Computed(WorkflowApprovalMember(many=True, help_text="Who may answer."))
    status = serializers.ChoiceField(choices=RunApproval.Status.values)
    comment = serializers.CharField()
    answeredBy = MemberSnapshot(source="answered_by")
    answeredAt = serializers.DateTimeField(allow_null=True)
    until = serializers.DateTimeField()
    createdAt = serializers.DateTimeField()

    reads: ClassVar[tuple[str, ...]] = ("members",)

    @classmethod
    def finish(cls, data: JsonObject, row: Any) -> JsonObject:
        return {**data, "members": row["members"]}

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        ids = {id for row in rows for id in row["members"]}
        names = dict(Member.objects.filter(pk__in=ids).values_list("pk", "name")) if ids else {}
        return [
            {**row, "members": [{"_id": id, "name": names[id]} for id in row["members"] if id in names]} for row in rows
        ]


class PlainApprovalOut(WorkflowApprovalOut):
    """A question as roles see it that may not read contacts and leads: with its words only where it is to oneself."""

    reads = (*WorkflowApprovalOut.reads, "is_asked")

    @classmethod
    def finish(cls, data: JsonObject, row: Any) -> JsonObject:
        approval = withheld(super().finish(data, row))
        return approval if row["is_asked"] else {**approval, "text": "", "comment": ""}


class GuardedApprovalOut(WorkflowApprovalOut):
    """A question as roles see it that may read contacts and leads, but not all events that workflows get."""

    reads = PlainApprovalOut.reads

    @classmethod
    def finish(cls, data: JsonObject, row: Any) -> JsonObject:
        approval = super().finish(data, row)
        return approval if row["is_asked"] else {**approval, "text": "", "comment": ""}
