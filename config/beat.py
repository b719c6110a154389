"""celery worker --ticks: a worker that also sends the tick, from a thread of its own, in place of a beat process.

Its pool must not fork (-P threads, -P solo): a fork with another running thread may inherit a lock that nobody frees.
"""

from __future__ import annotations

import logging
import os
import signal
from threading import Thread
from typing import Any

from celery import Celery
from celery.beat import Scheduler, Service
from celery.bootsteps import StartStopStep
from click import Option

log = logging.getLogger(__name__)


class Ticking(StartStopStep):  # type: ignore[misc]  # Celery has no types
    """The part of a worker that runs the schedule. Nothing of it is stored: it is the tick alone, each second."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, worker: Any, ticks: bool = False, **options: Any) -> None:
        super().__init__(worker, **options)
        self.enabled = ticks
        self._stops = False

    def start(self, worker: Any) -> None:
        self._service = Service(worker.app, scheduler_cls=Scheduler)
        Thread(target=self._run, name="ticks", daemon=True).start()

    def stop(self, worker: Any) -> None:
        self._stops = True
        self._service.stop(wait=True)

    def _run(self) -> None:
        try:
            self._service.start()
        except Exception:
            log.exception("the ticks have ended")
        if not self._stops:
            # Without ticks all work would rest until somebody noticed.
            os.kill(os.getpid(), signal.SIGTERM)  # whoever keeps the worker running starts it, and them, again


def add_ticks(app: Celery) -> None:
    """Give the workers of the app the option --ticks."""
    app.user_options["worker"].add(Option(["--ticks"], is_flag=True, help="Send the tick too; not with -P prefork."))
    app.steps["worker"].add(Ticking)
