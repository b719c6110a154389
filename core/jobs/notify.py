"""Notification of the workers."""

from __future__ import annotations

import logging

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError
from kombu.pools import ProducerPool, producers
from redis import RedisError

from core.breaker import REDIS
from core.jobs.registry import CeleryWork, drained

log = logging.getLogger(__name__)

PATIENCE = {"socket_timeout": 1, "socket_connect_timeout": 1}
"""Seconds that a request waits for a Redis that hangs. Workers wait longer, since they read from it."""


def notify_workers(name: str) -> None:
    """Notify the workers, after the commit, of due work of this name.

    The message may be lost, late or repeated: the tick finds the work without it. While Redis is away none is sent.
    """
    notify_workers_of(drained()[name])


def notify_workers_of(work: CeleryWork, *, expires: float | None = None) -> None:
    """Notify the workers like notify_workers, with a message that expires after so many seconds."""
    transaction.on_commit(lambda: _publish(work, expires=expires))


def _publish(work: CeleryWork, *, expires: float | None = None) -> None:
    if not REDIS.allows():
        return
    try:
        with _producers().acquire(block=True) as producer:  # type: ignore[no-untyped-call]
            current_app.send_task(
                work.task,
                expires=expires,
                retry=False,
                ignore_result=True,
                producer=producer,
            )
    except (OperationalError, RedisError) as error:
        REDIS.failed()
        log.warning("no broker to notify the workers of %s (%s); the tick will find the work", work.name, error)
    else:
        REDIS.worked()


def _producers() -> ProducerPool:
    """Return the pool of producers whose connections wait for PATIENCE only. kombu keeps it across calls."""
    pool: ProducerPool = producers[current_app.connection_for_write(transport_options=PATIENCE)]
    return pool
