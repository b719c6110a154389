"""Periodic tasks in tests."""

from __future__ import annotations

import pytest

from core.jobs import WORK, PeriodicTask, work_by_name


def only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Unregister all periodic tasks but these, for this test."""
    tasks = work_by_name(PeriodicTask)
    assert tasks.keys() >= set(names)
    for name, task in tasks.items():
        if name not in names:
            monkeypatch.delitem(WORK, task.key)
