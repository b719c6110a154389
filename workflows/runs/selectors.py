"""Reads of runs that are more than a filter."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db.models import F, Func, JSONField, Value
from django.utils import timezone
from django.utils.translation import gettext

from core.access import Actor
from core.text.json import format_iso
from core.text.translation import gettext_lazy
from core.types import JsonObject
from workflows.definitions.backlog import pace_of
from workflows.engine import read_rights
from workflows.engine.limits import limits
from workflows.engine.models import LIVE, RunTimer, WorkflowRun
from workflows.engine.run_state import RunState
from workflows.graphs.models import WorkflowVersion
from workflows.graphs.rights import PANELS

BEFORE = "0"
"""The token of the timer before a run's first step: the workflow's window has to open."""

WHY = {
    "quota": gettext_lazy("Your plan's workflow runs for this month are used up."),
    "concurrency": gettext_lazy("The workflow has reached its maximum of parallel runs."),
    "rate": gettext_lazy("The workflow has reached its start limit."),
    "importBacklog": gettext_lazy("The run has low priority: many records started together."),
    "window": gettext_lazy("The run waits for the start hours of the workflow."),
    "unpublished": gettext_lazy("The workflow is not published."),
    "workflowPaused": gettext_lazy("The workflow is paused."),
    "paused": gettext_lazy("All runs of the workflow were paused."),
    "byMember": gettext_lazy("A member paused the run."),
}
"""Reason -> its explanation."""


def reads_records(actor: Actor) -> bool:
    """Return whether the actor may read the records of runs: steps of contacts contain data of leads, and vice
    versa."""
    return all(actor.may(panel, "GET") for panel in PANELS)


def reads_values(actor: Actor, run: WorkflowRun) -> bool:
    """Return whether the actor may read the values of a run: its records, and the events that it has got."""
    return reads_records(actor) and not read_rights.missing_permissions(
        read_rights.reads_of_run(run), read_rights.member_permissions(actor.may_on_all)
    )


def reads_events(actor: Actor) -> bool:
    """Return whether the actor may read all events that the company's workflows start with or wait for."""
    readable = read_rights.member_permissions(actor.may_on_all)
    if not read_rights.missing_permissions(read_rights.OF_EVENTS, readable):
        return True
    versions = WorkflowVersion.objects.order_by()
    awaited = Func(
        F("graph"),
        Value("$.nodes[*].data.config.event"),
        function="jsonb_path_query_array",
        output_field=JSONField(),
    )
    kinds = {*versions.values_list("graph__triggerEventType", flat=True).distinct()}
    for events in versions.values_list(awaited, flat=True).distinct():
        kinds.update(events)
    return not read_rights.missing_permissions(read_rights.reads_of_events(kinds), readable)


def waits_of(run_ids: Sequence[str]) -> dict[str, list[JsonObject]]:
    """Return run -> the nodes at which it waits, the kind of wait, and its end (null: unlimited)."""
    timers = RunTimer.objects.filter(run__in=run_ids).values_list("run_id", "token", "due_at")
    ends = {(run_id, token): due_at for run_id, token, due_at in timers}
    waits_by_run: dict[str, list[JsonObject]] = {}
    runs = WorkflowRun.objects.filter(pk__in=run_ids, status__in=LIVE)
    for run_id, state, early in runs.values_list("pk", "state", "reason"):
        places = (
            {
                **RunState.from_json(state).waits(),
                BEFORE: (None, limits.RATE if early == limits.RATE else limits.WINDOW),
            }
            if state
            else {}
        )
        waits = [
            (ends.get((run_id, token)), {"node": node, "for": reason})
            for token, (node, reason) in places.items()
            if token != BEFORE or (run_id, BEFORE) in ends
        ]
        waits.sort(key=lambda pair: (pair[0] is None, pair[0] or 0))
        waits_by_run[run_id] = [{**wait, "until": None if end is None else format_iso(end)} for end, wait in waits]
    return waits_by_run


def why_of(run_ids: Sequence[str]) -> dict[str, tuple[str, str | None]]:
    """Return run -> why it does not move, and when it is expected to."""
    now = timezone.now()
    due = dict(
        RunTimer.objects.filter(run__in=run_ids).order_by("-due_at", "-pk").values_list("run_id", "due_at")
    )  # the first one of each remains
    reasons = {}
    for run in WorkflowRun.objects.filter(pk__in=run_ids).defer("state", "trigger"):
        eta = due.get(run.pk)
        if run.status in (WorkflowRun.Status.QUEUED, WorkflowRun.Status.PAUSED):
            eta = _eta(run, now) if run.status == WorkflowRun.Status.QUEUED else None
        text = WHY.get(run.reason, "")
        if run.status == WorkflowRun.Status.WAITING and not text:
            text = gettext("A step is waiting.")
        has_ended = run.finished_at is not None
        reasons[run.pk] = ("", None) if has_ended else (text, format_iso(eta) if eta else None)
    return reasons


def _eta(run: WorkflowRun, now: datetime) -> datetime | None:
    """Return the expected start of a queued run; None if it is unknown."""
    if run.place == limits.QUOTA:
        return limits.next_month(now)
    if run.place != limits.CONCURRENCY:
        return max(run.begins_at or now, now)
    before = WorkflowRun.objects.filter(
        workflow=run.workflow_id, place=limits.CONCURRENCY, priority__lte=run.priority, pk__lt=run.pk
    )
    pace = pace_of(run.workflow_id, now)
    return None if pace is None else max(run.begins_at or now, now + pace * (before.count() + 1))
