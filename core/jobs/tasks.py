"""The two Celery tasks: the tick, and the draining of one kind of work."""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack
from threading import Lock
from time import monotonic

from billiard.process import current_process
from celery import shared_task
from celery.signals import worker_process_shutdown, worker_shutdown
from django.db import DatabaseError, close_old_connections

from core.hold.services import current_hold
from core.jobs.flights import wait_for_all
from core.jobs.heartbeat import record_tick
from core.jobs.liveness import release_lock
from core.jobs.notify import notify_workers
from core.jobs.registry import drained
from core.jobs.rest import TICK
from core.jobs.sweeper import sweep
from core.logs import log_context

_turns: defaultdict[str, Lock] = defaultdict(Lock)
"""Work that this process drains at present, if its pool uses threads."""
LAST_SECONDS = 28.0
"""Seconds that an ending process waits for its calls to other hosts: less than its supervisor's timeout."""


@shared_task(name=TICK, queue="tick", ignore_result=True, expires=3, soft_time_limit=60, time_limit=90)
def tick() -> None:
    """Free the rows of dead workers and notify the workers of due work, every second."""
    close_old_connections()  # a worker lives longer than its connection when the database restarts
    sweep()
    held = current_hold() is not None
    for work in drained().values():
        if (work.while_held or not held) and work.due():
            notify_workers(work.name, expires=2)
    record_tick()


@shared_task(name="core.drain", ignore_result=True, soft_time_limit=540, time_limit=600)
def drain(name: str) -> None:
    """Drain one kind of work, on its queue, until nothing is due or the slice is over."""
    close_old_connections()
    work = drained().get(name)
    if work is None or (current_hold() is not None and not work.while_held):
        return
    with ExitStack() as turn, log_context(work=name):
        if not work.side_by_side:
            if not _turns[name].acquire(blocking=False):
                return  # another thread of this process is at it
            turn.callback(_turns[name].release)
        try:
            work.drain(monotonic() + work.slice_seconds)
        except DatabaseError:
            # What it has claimed stays so for as long as this process counts as alive. Threads share that, with work
            # that goes on.
            if not work.frees_claims and current_process().name != "MainProcess":
                release_lock()
            raise


@worker_process_shutdown.connect
@worker_shutdown.connect  # of a worker whose pool is threads, in its only process
def finish_calls(**_: object) -> None:
    """Wait for pending calls, so that a restart leaves no outcome unknown."""
    wait_for_all(LAST_SECONDS)
