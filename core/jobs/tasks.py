"""The two Celery tasks that run everything: the tick, and the draining of one kind of work."""

from __future__ import annotations

from time import monotonic

from celery import shared_task

from core.jobs.notify import notify_workers
from core.jobs.registry import drained
from core.jobs.sweeper import sweep

SLICE_SECONDS = 20.0
"""How long one Celery task works before it makes way for others."""


@shared_task(name="core.tick", queue="tick", ignore_result=True, expires=3, soft_time_limit=60, time_limit=90)
def tick() -> None:
    """Every second: free what dead workers held, and notify the workers of each kind of work that is due."""
    sweep()
    for work in drained().values():
        if work.due():
            notify_workers(work.name, expires=2)


@shared_task(name="core.drain", ignore_result=True, soft_time_limit=540, time_limit=600)
def drain(name: str) -> None:
    """Drain one kind of work until nothing is due or the slice is over; it runs on the queue of that work."""
    work = drained().get(name)
    if work is not None:
        work.drain(monotonic() + SLICE_SECONDS)
