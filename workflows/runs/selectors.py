"""Reads of runs that are more than a filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.text.json import iso
from workflows.engine import interpreter
from workflows.engine.models import LIVE, RunTimer, WorkflowRun

BEFORE = "0"
"""The token of the timer that stands before a run's first step: the workflow's window has to open."""


def waits_of(run_ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Return run -> the nodes at which it waits, for what, and until when (null: for as long as it takes)."""
    timers = RunTimer.objects.filter(run__in=run_ids).values_list("run_id", "token", "due_at")
    ends = {(run_id, token): due_at for run_id, token, due_at in timers}
    found: dict[str, list[dict[str, Any]]] = {}
    runs = WorkflowRun.objects.filter(pk__in=run_ids, status__in=LIVE)
    for run_id, state in runs.values_list("pk", "state"):
        places = {**interpreter.waits(state), BEFORE: (None, "window")} if state else {}
        waits = [
            (ends.get((run_id, token)), {"node": node, "for": reason})
            for token, (node, reason) in places.items()
            if token != BEFORE or (run_id, BEFORE) in ends
        ]
        waits.sort(key=lambda one: (one[0] is None, one[0] or 0))
        found[run_id] = [{**told, "until": None if end is None else iso(end)} for end, told in waits]
    return found
