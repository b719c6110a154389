"""How the events of many records start workflows."""

from __future__ import annotations

MANY = 10_000
"""From more records on, a change of them starts workflows behind what happens now, where its caller does not say."""
AUTOMATIONS = ("run", "skip", "queue")


def is_queued(queued: bool | None, total: int | None) -> bool:
    """Return whether the workflows of a job of so many records start behind what happens now."""
    return (total or 0) > MANY if queued is None else queued


def automation_of(starts: bool, queued: bool | None, total: int | None) -> str:
    """Return how a job starts workflows: run, skip or queue."""
    return "skip" if not starts else "queue" if is_queued(queued, total) else "run"
