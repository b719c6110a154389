"""The Celery task of each kind of work."""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack, suppress
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from billiard.process import current_process
from celery import shared_task
from django.db import DatabaseError, close_old_connections
from kombu.exceptions import OperationalError
from redis import RedisError

from core.hold.services import current_hold
from core.jobs.broker import release_message, send_message
from core.jobs.liveness import release_lock
from core.jobs.shares import place_of
from core.logs import log_context

if TYPE_CHECKING:
    from core.jobs.registry import CeleryWork

_turns: defaultdict[str, Lock] = defaultdict(Lock)
"""Work that this process drains at present, if its pool uses threads."""


def add_task(work: CeleryWork) -> None:
    """Add the Celery task of a kind of work. Its queue is that of the work (core.jobs.queues).

    Its message is only a hint that something is due, so Celery never retries or redelivers it. The rows are retried, by
    their `due_at` (core.jobs.runner).
    """

    @shared_task(
        name=work.task,
        soft_time_limit=work.soft_time_limit,
        time_limit=work.time_limit,
        max_retries=0,
        acks_late=False,
        ignore_result=True,
    )
    def task() -> None:
        release_message(work.task)
        drain_slice(work)


def drain_slice(work: CeleryWork) -> None:
    """Drain one kind of work until nothing is due or its slice is over."""
    close_old_connections()  # a worker lives longer than its connection when the database restarts
    if current_hold() is not None and not work.while_held:
        return
    with ExitStack() as turn, log_context(work=work.name):
        if not turn.enter_context(place_of(work.queue)):
            return  # the pool's other processes already use the whole share
        if not work.side_by_side:
            if not _turns[work.task].acquire(blocking=False):
                return  # another thread of this process is at it
            turn.callback(_turns[work.task].release)
        deadline = monotonic() + work.slice_seconds
        try:
            work.drain(deadline)
        except DatabaseError:
            # Without the liveness lock the sweeper frees what the task has claimed. Threads share the lock with
            # tasks that go on.
            if not work.frees_claims and current_process().name != "MainProcess":
                release_lock()
            raise
        if monotonic() >= deadline:
            # There may be more. It waits behind the other work of the queue, and not for the next tick.
            with suppress(OperationalError, RedisError):
                send_message(work.task)
