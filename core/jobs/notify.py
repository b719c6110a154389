"""Notification of the workers."""

from __future__ import annotations

import logging

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from core.jobs.registry import drained

log = logging.getLogger(__name__)


def notify_workers(name: str, *, expires: float | None = None) -> None:
    """Notify the workers, after the commit, of due work of this name.

    The message may be lost, late or repeated: the tick finds the work without it.
    """
    transaction.on_commit(lambda: _publish(name, expires=expires))


def _publish(name: str, *, expires: float | None = None) -> None:
    queue = drained()[name].queue
    try:
        current_app.send_task("core.drain", args=[name], queue=queue, expires=expires, retry=False, ignore_result=True)
    except OperationalError as error:
        log.warning("no broker to notify the workers of %s (%s); the tick will find the work", name, error)
