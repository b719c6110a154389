"""celery worker --ticks: a worker that also runs the tick each second, in a thread of its own, in place of beat.

Its pool must not fork (-P threads, -P solo): a fork with another running thread may inherit a lock that is never freed.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import signal
from importlib import import_module
from itertools import count
from threading import Event, Thread
from typing import Any

from celery import Celery
from celery.bootsteps import StartStopStep
from click import Option

from config.watchdog import is_served

log = logging.getLogger(__name__)

EVERY = 1.0
"""Seconds between two ticks."""
RECORD_EVERY = 5
"""Ticks between two records that they go on."""
STDERR = 2
"""The descriptor of the standard error stream."""
QUICK = "tick"
"""The queue of quick work."""
MAX_SECONDS = 600.0
"""Seconds after which a tick that hangs ends its worker, which is started again. Its calls end too, so it is long."""


class Ticking(StartStopStep):  # type: ignore[misc]  # Celery has no types
    """The part of a worker that runs the tick. No message carries it, so that neither Redis nor a pool has to wake.

    Health knows of the tick while a worker of quick work takes messages, too.
    """

    requires = ("celery.worker.components:Pool",)

    def __init__(self, worker: Any, ticks: bool = False, **options: Any) -> None:
        super().__init__(worker, **options)
        self.enabled = ticks
        self._stops = Event()

    def start(self, worker: Any) -> None:
        self._thread = Thread(target=self._run, name="ticks", daemon=True)
        self._thread.start()

    def stop(self, worker: Any) -> None:
        self._stops.set()
        self._thread.join(MAX_SECONDS)

    def _run(self) -> None:
        tasks = import_module("core.jobs.tasks")
        try:
            for number in count():
                if self._stops.wait(EVERY):
                    return
                # A file: Celery replaces sys.stderr by its log, which no signal handler can write to.
                faulthandler.dump_traceback_later(MAX_SECONDS, exit=True, file=STDERR)
                self._tick(tasks, number)
                faulthandler.cancel_dump_traceback_later()
        finally:
            if not self._stops.is_set():
                # Without ticks all work would rest until an operator noticed. The supervisor starts the worker again.
                os.kill(os.getpid(), signal.SIGTERM)

    def _tick(self, tasks: Any, number: int) -> None:
        try:
            tasks.notify_due()
            if number % RECORD_EVERY == 0 and is_served(QUICK):
                tasks.record_tick()
        except Exception:  # the edge of one tick: the next one repeats it
            log.exception("a tick failed")


def add_ticks(app: Celery) -> None:
    """Give the workers of the app the option --ticks."""
    app.user_options["worker"].add(Option(["--ticks"], is_flag=True, help="Run the tick too; not with -P prefork."))
    app.steps["worker"].add(Ticking)
