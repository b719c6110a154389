"""Idle workers release memory.

A heap rarely shrinks, and a session of PostgreSQL keeps its caches. An idle process of a pool therefore ends if its
memory is large, and a new fork replaces it. The tick does not count as work here.
"""

from __future__ import annotations

import signal
from threading import current_thread, main_thread
from time import monotonic
from typing import Any

from billiard.process import current_process
from celery.signals import task_postrun, task_prerun, worker_process_init
from django.db import connections

from core.jobs.flights import has_open_calls

TICK = "core.tick"
REST_AFTER = 30.0
"""Seconds without work."""
MAX_OWN_BYTES = 32 * 2**20
"""Maximum private memory of a process in bytes, without the memory shared with its parent."""
RECYCLED = 0x9B
"""The exit code of billiard's processes that end to be replaced by fresh ones."""
_SOON = 0.3
"""Seconds after the end of a task in which the pool takes its result."""

_worked_at: float | None = None
"""End of the last work of this process (monotonic); None since its last rest."""


def rest_after_work(**_: Any) -> None:
    """Set up the idle timer for a process of a pool. Only its main thread runs tasks, and receives the alarm."""
    if current_process().name == "MainProcess":
        return  # a worker without a pool (-P solo): no parent would fork a new one
    signal.signal(signal.SIGALRM, rest)
    task_prerun.connect(begin)
    task_postrun.connect(end)


def begin(**_: Any) -> None:
    """Stop the alarm while a task runs."""
    signal.setitimer(signal.ITIMER_REAL, 0)


def end(sender: Any = None, **_: Any) -> None:
    """Set the alarm after a task, by when the last one that was work has ended."""
    global _worked_at
    if sender.name != TICK:
        _worked_at = monotonic()
    if _worked_at is not None:
        left = _worked_at + REST_AFTER - monotonic()
        signal.setitimer(signal.ITIMER_REAL, max(left, _SOON))


def rest(*_: Any) -> None:
    """End the process if its memory is large; else close its connections. The next task opens those that it needs.

    A task that arrives at this time is lost with the process: it is only a hint, which the next tick repeats.
    """
    global _worked_at
    if has_open_calls():
        signal.setitimer(signal.ITIMER_REAL, REST_AFTER)
        return
    _worked_at = None
    if own_memory() > MAX_OWN_BYTES:
        raise SystemExit(RECYCLED)
    connections.close_all()


def own_memory() -> int:
    """Return the bytes of memory that no other process shares; 0 if the system doesn't report them."""
    try:
        with open("/proc/self/smaps_rollup", encoding="ascii") as rollup:
            return sum(int(line.split()[1]) for line in rollup if line.startswith("Private_")) * 1024
    except OSError:
        return 0


def rest_thread(**_: Any) -> None:
    """Close the connections of a pool's thread, whose next task may be far off."""
    if current_thread() is not main_thread():
        connections.close_all()


worker_process_init.connect(rest_after_work)
task_postrun.connect(rest_thread)
