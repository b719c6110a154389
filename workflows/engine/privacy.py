"""Personal data in runs of workflows."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet

from crm.privacy.registry import DataSubject, mentioning_rows, referring_rows, register_personal_data
from workflows.engine.models import RunApproval, RunCall, RunStep, WorkflowRun
from workflows.engine.operations import remove_runs


def _runs(subject: DataSubject) -> Q:
    """Match runs about the subject, and runs that a webhook started with its address or number."""
    return referring_rows(WorkflowRun, subject) | (
        Q(contact=None, lead=None) & mentioning_rows(subject, "trigger", "state")
    )


def _of_runs(subject: DataSubject) -> Q:
    return Q(run__in=WorkflowRun.objects.filter(_runs(subject)))


def _remove(subject: DataSubject, rows: QuerySet[Any]) -> int:
    """Remove the runs with all that belongs to them: one that is under way ends with its record."""
    ids = list(rows.order_by("pk").select_for_update(of=("self",)).values_list("pk", flat=True))
    remove_runs(ids)
    return len(ids)


def register_tables() -> None:
    """Register the tables."""
    hidden = frozenset({"solo_key", "entry_key", "epoch", "hold_no", "seq", "parent"})
    call_columns = frozenset({"key", "token", "epoch", "lease", "worker", "deaths"})
    register_personal_data("workflowCalls", RunCall, _of_runs, module="workflow", hides=call_columns)
    register_personal_data(
        "workflowApprovals", RunApproval, _of_runs, module="workflow", hides=call_columns & {"token", "epoch"}
    )
    register_personal_data("workflowSteps", RunStep, _of_runs, module="workflow")
    register_personal_data("workflowRuns", WorkflowRun, _runs, _remove, module="workflow", hides=hidden)
