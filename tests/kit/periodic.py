"""Periodic tasks in tests."""

from __future__ import annotations

import pytest

from core.jobs import WORK, PeriodicTask, registered


def only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """For this test there are no periodic tasks but these."""
    tasks = registered(PeriodicTask)
    assert tasks.keys() >= set(names)
    for name, task in tasks.items():
        if name not in names:
            monkeypatch.delitem(WORK, task.key)
