"""Bodies and answers of runs."""

from __future__ import annotations

from typing import ClassVar

from rest_framework import serializers

from core.api.input import BooleanInput, Input, ObjectInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject, Values
from workflows.engine.models import RunStep, WorkflowRun
from workflows.graphs.models import Workflow
from workflows.runs.selectors import waits_of, why_of

NODES = "Node of its version -> type, label (empty: none), disabled, and ways: labels of its cases or arms."
TRIGGER_FIELDS = ("kind", "happenedAt", "objectId")
"""Keys of a trigger that reveal nothing about a record."""
ERROR = (
    "node, code and message of what failed it, with the setting that it is about as field and its text without that;"
    " null: nothing."
)


class WorkflowRunDelete(SelectionInput):
    """Runs to delete."""


class WorkflowRunResume(Input):
    """Options for the resumption of a run."""

    shift = BooleanInput(default=False, help_text="Its waits last as much longer as it stood still.")


WorkflowRunRestart: type[Input] = type(
    "WorkflowRunRestart",
    (Input,),
    {
        "__doc__": "Where a run begins again.",
        "__module__": __name__,
        # `from` is no name that a class body can have.
        "from": TextInput(
            source="place", default="start", max_length=64, help_text="start, failed, or the id of a node"
        ),
        "version": serializers.ChoiceField(choices=("same", "latest"), default="same"),
        "resend": BooleanInput(default=False, help_text="Effects outside that were made already are made again."),
        "input": ObjectInput(required=False, help_text="What expressions find as trigger.input."),
    },
)


WorkflowRunRedrive: type[SelectionInput] = type(
    "WorkflowRunRedrive",
    (SelectionInput,),
    {
        "__doc__": "Which runs begin again, and where.",
        "__module__": __name__,
        "from": TextInput(
            source="place", default="failed", max_length=64, help_text="start, failed, or the id of a node"
        ),
        "version": serializers.ChoiceField(choices=("same", "latest"), default="same"),
        "resend": BooleanInput(default=False, help_text="Effects outside that were made already are made again."),
    },
)


class WorkflowRunsRedriven(Output):
    """The number of runs that a job will restart."""

    selectedCount = Computed(serializers.IntegerField())


class WorkflowSnapshot(Output):
    """A workflow, nested where a run refers to it."""

    _id = IdField()
    name = serializers.CharField()


class WorkflowOfRun(WorkflowSnapshot):
    """The workflow of a run, as it is now."""

    status = serializers.ChoiceField(choices=Workflow.Status.values)
    version = serializers.IntegerField(source="version.number", allow_null=True, help_text="The one that is published.")


class WorkflowRunContact(Output):
    """The contact that a run is about."""

    _id = IdField()
    name = serializers.CharField()
    email = serializers.CharField(allow_null=True)


class WorkflowRunOut(Output):
    """A run of a workflow."""

    reads: ClassVar[tuple[str, ...]] = ("error_node", "error_code", "error", "error_reason")

    _id = IdField()
    workflow = WorkflowOfRun()
    version = serializers.IntegerField(source="version.number")
    contact = WorkflowRunContact()
    lead = IdField(source="lead_id", allow_null=True)
    status = serializers.ChoiceField(choices=WorkflowRun.Status.values)
    reason = serializers.CharField(help_text="Why it has this status; empty: nothing special.")
    failure = Computed(serializers.DictField(allow_null=True, help_text=ERROR))
    startedAt = serializers.DateTimeField(allow_null=True)
    finishedAt = serializers.DateTimeField(allow_null=True)
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        failure = {"node": row["error_node"], "code": row["error_code"], "message": row["error"]}
        failure |= row["error_reason"] or {}
        return {**data, "failure": failure if row["error_code"] else None}


class WorkflowRunDetail(WorkflowRunOut):
    """A run, with its trigger and its waits."""

    trigger = serializers.DictField(help_text="kind, happenedAt, and objectId, payload or input.")
    stepCount = serializers.IntegerField(source="seq")
    why = Computed(serializers.CharField(help_text="Why it does not move, in words; empty: it moves, or has ended."))
    eta = Computed(serializers.DateTimeField(allow_null=True, help_text="When it is expected to move; null: unknown."))
    waits = Computed(
        serializers.ListField(child=serializers.DictField(), help_text="node, for and until of each wait.")
    )
    nodes = Computed(serializers.DictField(help_text=NODES))

    reads = (*WorkflowRunOut.reads, "version__graph")

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        raw_nodes = row["version__graph"].get("nodes") or []
        return {**super().finish(data, row), "nodes": {node["id"]: _node_json(node) for node in raw_nodes}}

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        ids = [row["_id"] for row in rows]
        waits = waits_of(ids)
        reasons = why_of(ids)
        return [
            {**row, "waits": waits.get(row["_id"], []), **dict(zip(("why", "eta"), reasons[row["_id"]], strict=True))}
            for row in rows
        ]


def _node_json(node: Values) -> JsonObject:
    """Return the parts of a node that its steps show."""
    data = node["data"]
    config = data.get("config") or {}
    rows = [row for name in ("cases", "arms") for row in config.get(name) or ()]
    ways = {row["id"]: row["label"] for row in rows if row.get("label")}
    disabled = data.get("disabled") is True
    return {"type": node["type"], "label": data.get("label") or "", "disabled": disabled, "ways": ways}


def withheld(data: JsonObject) -> JsonObject:
    """Return a run, a step or a question without values that may reveal data of records."""
    visible_data = dict(data)
    if visible_data.get("contact"):
        visible_data["contact"] = {**visible_data["contact"], "name": "", "email": None}
    if "trigger" in visible_data:
        visible_data["trigger"] = _plain_trigger(visible_data["trigger"])
    visible_data = without_messages(visible_data)
    return {**visible_data, **{name: None for name in ("input", "output") if name in visible_data}}


def without_messages(data: JsonObject) -> JsonObject:
    """Return a run or a step without the messages of its errors, which may quote values."""
    messages = {name: {**data[name], "message": "", "text": ""} for name in ("failure", "error") if data.get(name)}
    return {**data, **messages}


def _plain_trigger(trigger: Values) -> JsonObject:
    return {name: trigger[name] for name in TRIGGER_FIELDS if name in trigger}


class WorkflowStepOut(Output):
    """A step of a run."""

    _id = IdField()
    node = serializers.CharField()
    visit = serializers.IntegerField(help_text="The number of the run's visits of the node, from 1.")
    attempt = serializers.IntegerField()
    status = serializers.ChoiceField(choices=RunStep.Status.values)
    handle = serializers.CharField(help_text="The way that it went on; empty: none.")
    input = serializers.JSONField(
        allow_null=True, help_text="Of a step that has failed, its settings with the values that they had."
    )
    output = serializers.JSONField(allow_null=True)
    error = serializers.DictField(allow_null=True, help_text="code, message and attempt.")
    createdAt = serializers.DateTimeField()


class PlainRunOut(WorkflowRunOut):
    """A run as roles see it that may not read contacts and leads."""

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return withheld(super().finish(data, row))


class GuardedRunOut(WorkflowRunOut):
    """A run as roles see it that may read contacts and leads, but not all events that workflows get."""

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return without_messages(super().finish(data, row))


class PlainRunDetail(WorkflowRunDetail):
    """A run as roles see it that may not read contacts and leads."""

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return withheld(super().finish(data, row))


class GuardedRunDetail(WorkflowRunDetail):
    """A run as roles see it that may read contacts and leads, but not all of the events that the run has got."""

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        detail = super().finish(data, row)
        return without_messages({**detail, "trigger": _plain_trigger(detail["trigger"])})


class PlainStepOut(WorkflowStepOut):
    """A step as roles see it that may not read the values of its run."""

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return withheld(super().finish(data, row))
