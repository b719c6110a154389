"""The queues of Celery tasks (settings.CELERY_TASK_ROUTES)."""

from __future__ import annotations

from core.jobs.registry import celery_work


def route_task(name: str, *_: object, **__: object) -> dict[str, str] | None:
    """Return the queue of a task: that of its kind of work. The tick has the default queue."""
    work = celery_work().get(name)
    return None if work is None else {"queue": work.queue}
