"""Options for the workflows that the events of many records start."""

from __future__ import annotations

MANY = 10_000
"""Number of records from which a change starts workflows after present events, if its caller does not choose."""
AUTOMATIONS = ("run", "skip", "queue")


def is_queued(queued: bool | None, total: int | None) -> bool:
    """Return whether the workflows of a job of so many records start after present events."""
    return (total or 0) > MANY if queued is None else queued


def automation_of(starts: bool, queued: bool | None, total: int | None) -> str:
    """Return how a job starts workflows: run, skip or queue."""
    if not starts:
        return "skip"
    return "queue" if is_queued(queued, total) else "run"
