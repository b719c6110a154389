"""Celery tasks in tests."""

from __future__ import annotations

from typing import Any

from celery import current_app

from core.jobs.registry import queue_work_by_name


def task_of(name: str) -> Any:
    """Return the Celery task of the registered work of this name."""
    return current_app.tasks[queue_work_by_name()[name].task]
