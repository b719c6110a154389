"""Reads of runs that are more than a filter."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone

from core.text.json import iso
from workflows.definitions.backlog import pace_of
from workflows.engine import limits
from workflows.engine.models import RunTimer, WorkflowRun

WHY = {
    "quota": "The plan's runs of this month have begun; it begins in the next one, or with a larger plan.",
    "concurrency": "Its workflow has as many runs under way as it may; it begins when one of them ends.",
    "rate": "Starts have a rate; it begins when it is its turn.",
    "importBacklog": "It comes from many records at once, which go behind what happens now.",
    "window": "It begins when the workflow's window opens.",
    "unpublished": "Its workflow is not published.",
    "workflowPaused": "Its workflow is paused.",
    "paused": "The runs of its workflow were paused together.",
    "byMember": "A member has paused it.",
}
"""Reason -> what it means."""


def waits_of(run_ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Return run -> the nodes at which it waits, and until when."""
    rows = WorkflowRun.objects.filter(pk__in=run_ids).values_list("pk", "state", "reason")
    states = {id: state for id, state, _ in rows}
    early = {id: limits.RATE if reason == limits.RATE else limits.WINDOW for id, _, reason in rows}
    found: dict[str, list[dict[str, Any]]] = {}
    timers = RunTimer.objects.filter(run__in=run_ids).order_by("due_at", "pk").values_list("run_id", "token", "due_at")
    for run_id, token, due_at in timers:
        place = states.get(run_id, {}).get("tokens", {}).get(token)
        node = place[0] if place else None
        found.setdefault(run_id, []).append(
            {"node": node, "for": "timer" if node else early[run_id], "until": iso(due_at)}
        )
    return found


def why_of(run_ids: Sequence[str]) -> dict[str, tuple[str, str | None]]:
    """Return run -> why it does not move, and when it is expected to."""
    now = timezone.now()
    due = dict(
        RunTimer.objects.filter(run__in=run_ids).order_by("-due_at", "-pk").values_list("run_id", "due_at")
    )  # the first one of each remains
    found = {}
    for run in WorkflowRun.objects.filter(pk__in=run_ids).defer("state", "trigger"):
        eta = due.get(run.pk)
        if run.status in (WorkflowRun.Status.QUEUED, WorkflowRun.Status.PAUSED):
            eta = _eta(run, now) if run.status == WorkflowRun.Status.QUEUED else None
        text = WHY.get(run.reason, "")
        if run.status == WorkflowRun.Status.WAITING and not text:
            text = "It waits for what its nodes wait for."
        ended = run.finished_at is not None
        found[run.pk] = ("", None) if ended else (text, iso(eta) if eta else None)
    return found


def _eta(run: WorkflowRun, now: datetime) -> datetime | None:
    """Return when a queued run is expected to begin; None if nobody can tell."""
    if run.place == limits.QUOTA:
        return limits.next_month(now)
    if run.place != limits.CONCURRENCY:
        return max(run.begins_at or now, now)
    before = WorkflowRun.objects.filter(
        workflow=run.workflow_id, place=limits.CONCURRENCY, priority__lte=run.priority, pk__lt=run.pk
    )
    pace = pace_of(run.workflow_id, now)
    return None if pace is None else max(run.begins_at or now, now + pace * (before.count() + 1))
