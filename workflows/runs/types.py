"""Types of the API's answers about runs of workflows, as pages read them."""

from __future__ import annotations

from typing import Any, TypedDict

from core.types import Values


class WorkflowRunData(TypedDict):
    """A run of a workflow."""

    _id: str
    workflow: Values
    version: int
    contact: Values | None
    lead: str | None
    status: str
    reason: str
    failure: Values | None
    startedAt: str | None
    finishedAt: str | None
    createdAt: str
    updatedAt: str


class WorkflowRunDetailData(WorkflowRunData):
    """A run, with its trigger and its waits."""

    trigger: Values
    stepCount: int
    why: str
    eta: str | None
    waits: list[Values]
    nodes: Values


class WorkflowStepData(TypedDict):
    """A step of a run."""

    _id: str
    node: str
    visit: int
    attempt: int
    status: str
    handle: str
    input: Any
    output: Any
    error: Values | None
    createdAt: str
