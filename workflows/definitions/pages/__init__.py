"""The pages of workflows: all of them, a new one, and one as it is drawn, with its steps, settings and versions."""

from __future__ import annotations

from workflows.definitions.pages.draw import AddStep, DrawWorkflow, LiveWorkflow
from workflows.definitions.pages.enrolment import WorkflowsOfRecord
from workflows.definitions.pages.list import NewWorkflow, Workflows
from workflows.definitions.pages.previews import CompareVersions, PublishWorkflow, StepValues
from workflows.definitions.pages.ready import ReadyWorkflow
from workflows.definitions.pages.settings import WorkflowSettings, WorkflowVersions
from workflows.definitions.pages.step import Step
from workflows.definitions.pages.trial import TryWorkflow

PAGES = [
    Workflows,
    NewWorkflow,
    ReadyWorkflow,
    WorkflowsOfRecord,
    DrawWorkflow,
    AddStep,
    Step,
    LiveWorkflow,
    WorkflowSettings,
    WorkflowVersions,
    TryWorkflow,
    StepValues,
    CompareVersions,
    PublishWorkflow,
]
