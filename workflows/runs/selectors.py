"""Reads of runs that are more than a filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.text.json import iso
from workflows.engine.models import RunTimer, WorkflowRun


def waits_of(run_ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Return run -> the nodes at which it waits, and until when."""
    states = dict(WorkflowRun.objects.filter(pk__in=run_ids).values_list("pk", "state"))
    found: dict[str, list[dict[str, Any]]] = {}
    timers = RunTimer.objects.filter(run__in=run_ids).order_by("due_at", "pk").values_list("run_id", "token", "due_at")
    for run_id, token, due_at in timers:
        place = states.get(run_id, {}).get("tokens", {}).get(token)
        node = place[0] if place else None
        found.setdefault(run_id, []).append({"node": node, "for": "timer" if node else "window", "until": iso(due_at)})
    return found
