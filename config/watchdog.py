"""celery worker --watchdog: a worker that ends itself if it hangs, so that its supervisor starts it again.

A process that lives and does nothing looks healthy from outside. A thread of the main process checks it every five
seconds, from within: its consumer has to answer, and to take the messages that wait while the worker is idle.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Any

import psutil
from celery import Celery
from celery.bootsteps import StartStopStep
from celery.worker import state
from click import Option
from django.conf import settings
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

log = logging.getLogger(__name__)

CHECK_EVERY = 5.0
REDIS_SECONDS = 2.0
"""Seconds that a check waits for Redis, on a connection of its own."""
MAX_FAILED_CHECKS = 4
"""Failed checks in a row before the worker ends. Checks are counted, not seconds: a process that was stopped does not
count the time in which it could not run."""
EXIT_CODE = os.EX_SOFTWARE
SERVED = "leadwright:served:{}"
"""The key of Redis that is there while a worker serves a queue."""
SERVED_SECONDS = 20


@dataclass(frozen=True)
class Check:
    """The result of a check. `oldest` has the oldest message of each queue, or is None if Redis did not answer."""

    answered: bool
    """The consumer's loop has run since the last check."""
    idle: bool
    """The worker has no task."""
    oldest: Mapping[str, bytes | None] | None


@dataclass
class Diagnosis:
    """Counts failed checks in a row. A check without Redis starts both counts again: no worker can do anything then."""

    silent: int = 0
    stuck: dict[str, int] = field(default_factory=dict)
    _oldest: Mapping[str, bytes | None] = field(default_factory=dict)

    def fault(self, check: Check) -> str | None:
        """Return the reason to end the worker, or None."""
        # Without Redis every worker is idle and silent, and ending them would not help.
        if check.oldest is None:
            self.silent = 0
            self.stuck = {}
            self._oldest = {}
            return None
        self.silent = 0 if check.answered else self.silent + 1
        before = self._oldest
        self._oldest = check.oldest
        # The same oldest message, check after check, while the worker has nothing to do.
        self.stuck = {
            queue: self.stuck.get(queue, 0) + 1
            for queue, message in check.oldest.items()
            if check.idle and message is not None and message == before.get(queue)
        }
        if self.silent >= MAX_FAILED_CHECKS:
            return "its consumer does not answer"
        for queue, checks in self.stuck.items():
            if checks >= MAX_FAILED_CHECKS:
                return f"it is idle and takes nothing from the queue {queue}"
        return None


class Watchdog(StartStopStep):  # type: ignore[misc]  # Celery has no types
    """The part of a worker that watches its consumer."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, worker: Any, watchdog: bool = False, **options: Any) -> None:
        super().__init__(worker, **options)
        self.enabled = watchdog
        self._stops = Event()
        self._answered = Event()
        self._checking = Lock()

    def start(self, worker: Any) -> None:
        # A fork waits for the end of a check, so that it takes along no lock that a check holds.
        release = self._checking.release
        os.register_at_fork(before=self._checking.acquire, after_in_parent=release, after_in_child=release)
        Thread(target=self._run, args=[worker], name="watchdog", daemon=True).start()

    def close(self, worker: Any) -> None:
        """Stop watching, before the consumer ends and the worker waits for its last tasks."""
        self._stops.set()

    stop = close

    def _run(self, worker: Any) -> None:
        diagnosis = Diagnosis()
        while not self._stops.wait(CHECK_EVERY):
            with self._checking:
                fault = diagnosis.fault(self._check(worker))
            if fault is not None and not self._stops.is_set():
                end(fault)

    def _check(self, worker: Any) -> Check:
        answered = self._answered.is_set()
        self._answered.clear()
        # The consumer's own loop has to set it: a hung loop never does.
        worker.consumer.call_soon(self._answered.set)
        queues = list(worker.app.amqp.queues.consume_from)
        return Check(answered, not state.reserved_requests, oldest_messages(queues, served=answered))


def _redis() -> Redis:
    return Redis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=REDIS_SECONDS,
        socket_timeout=REDIS_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


def oldest_messages(queues: list[str], *, served: bool = False) -> dict[str, bytes | None] | None:
    """Return the message of each queue that is taken next, or None if Redis does not answer.

    Also note that the queues are `served`, if they are.
    """
    client = _redis()
    try:
        with client.pipeline(transaction=False) as pipeline:
            for queue in queues:
                # Celery pushes on the left and takes from the right.
                pipeline.lindex(queue, -1)
            for queue in queues if served else ():
                pipeline.set(SERVED.format(queue), 1, ex=SERVED_SECONDS)
            return dict(zip(queues, pipeline.execute()[: len(queues)], strict=True))
    except RedisError:
        return None
    finally:
        client.close()


def is_served(queue: str) -> bool:
    """Return whether the consumer of a worker of the queue has just answered its watchdog."""
    client = _redis()
    try:
        return bool(client.exists(SERVED.format(queue)))
    except RedisError:
        return False
    finally:
        client.close()


def end(fault: str) -> None:
    """End the process and its children at once. Their work goes on in others, as after any kill."""
    log.error("the worker ends, to be started again: Redis answers, but %s", fault)
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            child.kill()
    # No clean-up: whatever hangs could hang there, too. PostgreSQL frees what the process has claimed.
    os._exit(EXIT_CODE)


def add_watchdog(app: Celery) -> None:
    """Give the workers of the app the option --watchdog."""
    app.user_options["worker"].add(Option(["--watchdog"], is_flag=True, help="End the worker if it hangs."))
    app.steps["worker"].add(Watchdog)
