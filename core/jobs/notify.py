"""Notification of the workers."""

from __future__ import annotations

import logging

from django.db import transaction
from kombu.exceptions import OperationalError
from redis import RedisError

from core.breaker import REDIS
from core.jobs.broker import send_message
from core.jobs.registry import CeleryWork, queue_work_by_name

log = logging.getLogger(__name__)


def notify_workers(name: str) -> None:
    """Notify the workers, after the commit, of due work of this name.

    The message may be lost, late or repeated: the tick finds the work without it. While Redis is away none is sent.
    """
    notify_workers_of(queue_work_by_name()[name])


def notify_workers_of(work: CeleryWork) -> None:
    """Notify the workers, after the commit, of this work."""
    transaction.on_commit(lambda: _publish(work))


def _publish(work: CeleryWork) -> None:
    if not REDIS.allows():
        return
    try:
        send_message(work.task)
    except (OperationalError, RedisError) as error:
        REDIS.record_failure()
        log.warning("no broker to notify the workers of %s (%s); the tick will find the work", work.name, error)
    else:
        REDIS.record_success()
