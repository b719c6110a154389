"""Due work of all kinds."""

from __future__ import annotations

from core.jobs.periodic import due_tasks
from core.jobs.registry import CeleryWork, drained


def due_work(*, held: bool = False) -> list[CeleryWork]:
    """Return the kinds of work that have anything due; with `held`, those that run in a held copy."""
    due: list[CeleryWork] = [work for work in drained().values() if (work.while_held or not held) and work.due()]
    return due if held else [*due, *due_tasks()]


def held_back() -> list[str]:
    """Return the names of the work that is due and waits for the end of a hold (core.hold)."""
    return sorted({work.part_of or work.name for work in due_work() if not work.while_held})
