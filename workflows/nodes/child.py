"""The node that runs another workflow for the same record."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from pydantic import Field, field_validator

from core.spans import add_span
from core.types import JsonObject
from workflows.nodes.base import NodeBatch, NodeConfig, NodeType, Outcome, Span
from workflows.nodes.references import checked_ids
from workflows.nodes.requests import StartRun

FAILED, TIMEOUT = "failed", "timeout"
MAX_CHILDREN = 5
"""Maximum nesting of workflows."""


class WorkflowConfig(NodeConfig):
    workflow: str = Field(json_schema_extra={"x-widget": "workflow"})
    input: JsonObject = Field(
        default={}, max_length=50, description="Found as trigger.input.", json_schema_extra={"x-widget": "expression"}
    )
    wait: bool = Field(default=True, description="Goes on when the other run has ended.")
    timeout: Span = Field(default=Span(amount=30, unit="days"), description="How long it waits at most.")

    @field_validator("workflow")
    @classmethod
    def _id(cls, id: str) -> str:
        return checked_ids([id])[0]


def _start(batch: NodeBatch) -> None:
    config: WorkflowConfig = batch.config
    until = add_span(batch.now, config.timeout.as_json(), ZoneInfo(batch.zone)) if config.wait else None
    for item in batch.items:
        # The check at publication sees graphs as they are then; another one may be published later.
        if item.run.depth >= MAX_CHILDREN:
            item.fail("recursion", f"workflows stand at most {MAX_CHILDREN} deep in each other")
            continue
        start = StartRun(config.workflow, batch.render("input", item), config.wait)
        item.outcome = Outcome("waiting", until=until, waits_for="child", request=start)


def _resume(batch: NodeBatch) -> None:
    for item in batch.items:
        if item.arrived is None or item.arrived.kind != "child":
            item.outcome = Outcome(handle=TIMEOUT)
        elif item.arrived.payload.get("missing"):
            item.fail("workflowMissing", "the other workflow is not published, or has refused the record")
        elif hidden_names := item.arrived.payload.get("hidden"):
            text = "input: who has published the other workflow may not read what this one reads, and lacks"
            item.fail("notAllowed", f"{text} {', '.join(hidden_names)}")
        else:
            payload = item.arrived.payload
            done = not batch.config.wait or payload["status"] == "completed"
            item.outcome = Outcome(handle="out" if done else FAILED, output=payload)


WORKFLOW = NodeType(
    "workflow",
    "logic",
    "Run a workflow",
    "Runs another workflow for the same record, and waits for its end.",
    WorkflowConfig,
    _start,
    resume=_resume,
    handles=lambda config: ("out", FAILED, TIMEOUT) if config.wait else ("out",),
    needs=lambda config: ("workflow.POST",),
    icon="account_tree",
    templates=("input",),
    outputs={"run": "id", "status": "text", "reason": "text", "vars": "object"},
    # The other workflow may keep any value of its record, and may be published again with more of them. So its
    # variables are for those to whom pages show the outputs of runs.
    guards={"vars": ("contact.GET", "lead.GET")},
)
