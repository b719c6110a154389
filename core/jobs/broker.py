"""Messages to the workers, with a limit of those that wait in the broker for each task."""

from __future__ import annotations

from contextlib import suppress

from celery import current_app
from kombu.exceptions import OperationalError
from kombu.pools import ProducerPool, producers
from redis import Redis, RedisError

PATIENCE = {"socket_timeout": 1, "socket_connect_timeout": 1}
"""Seconds that a request waits for a Redis that hangs. Workers wait longer, since they read from it."""
MAX_WAITING = 8
"""Messages of one task that wait at once: enough for all processes of a pool to take some of its work."""
FORGET_SECONDS = 30
"""Reset the count of a task after so many seconds without a message, since some may be lost."""
EXPIRES_SECONDS = 60
"""Seconds after which a message is dropped: its work has long been due again."""


def send_message(task: str) -> None:
    """Send a message of the task, unless enough are waiting.

    Each says only that some work may be due. Thousands of them, of many changes at once or of each second in
    which the workers are busy, would hold up the other work of their queue. Raises OperationalError and RedisError.
    """
    with _producers().acquire(block=True) as producer:  # type: ignore[no-untyped-call]
        client = producer.channel.client
        if int(client.get(_key(task)) or 0) < MAX_WAITING:
            _count(client, task, 1)
            current_app.send_task(task, expires=EXPIRES_SECONDS, retry=False, ignore_result=True, producer=producer)


def release_message(task: str) -> None:
    """Allow another message of the task. Call it before reading due rows, so that no new row is missed."""
    with suppress(OperationalError, RedisError), _producers().acquire(block=True) as producer:  # type: ignore[no-untyped-call]
        _count(producer.channel.client, task, -1)


def _count(client: Redis, task: str, change: int) -> None:
    """Change the number of the task's waiting messages."""
    with client.pipeline(transaction=True) as pipeline:
        pipeline.incrby(_key(task), change)
        pipeline.expire(_key(task), FORGET_SECONDS)
        pipeline.execute()


def _key(task: str) -> str:
    return f"waiting:{task}"


def _producers() -> ProducerPool:
    """Return the pool of producers whose connections wait for PATIENCE only. kombu keeps it across calls."""
    pool: ProducerPool = producers[current_app.connection_for_write(transport_options=PATIENCE)]
    return pool
