"""The two Celery tasks that everything runs by: the tick, and the draining of one kind of work."""

from __future__ import annotations

from time import monotonic

from celery import shared_task

from core.jobs import SLICE_SECONDS, WORK, publish, sweep


@shared_task(name="core.tick", queue="tick", ignore_result=True, expires=3, soft_time_limit=60, time_limit=90)
def tick() -> None:
    """Every second: free what dead workers held, wake every kind of work that has something due."""
    sweep()
    for work in WORK.values():
        if work.due():
            publish(work.name, expires=2)


@shared_task(name="core.drain", ignore_result=True, soft_time_limit=540, time_limit=600)
def drain(name: str) -> None:
    """Work on one kind until nothing is due or the slice is over; the queue is the kind's own."""
    work = WORK.get(name)
    if work is not None:
        work.drain(monotonic() + SLICE_SECONDS)
