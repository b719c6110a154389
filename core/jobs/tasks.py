"""The tick. Each kind of work has a Celery task of its own (core.jobs.celery_tasks)."""

from __future__ import annotations

from celery import shared_task
from celery.signals import worker_process_shutdown, worker_shutdown
from django.db import close_old_connections

from core.jobs.due import read_due
from core.jobs.flights import wait_for_all
from core.jobs.heartbeat import record_tick
from core.jobs.notify import notify_workers_of
from core.jobs.rest import TICK
from core.jobs.sweeper import free_orphans

LAST_SECONDS = 28.0
"""Seconds that an ending process waits for its calls to other hosts: less than its supervisor's timeout."""


@shared_task(name=TICK, ignore_result=True, expires=3, soft_time_limit=60, time_limit=90, max_retries=0)
def tick() -> None:
    """Notify the workers of due work, and record that."""
    notify_due()
    record_tick()


def notify_due() -> None:
    """Free the rows of dead workers and notify the workers of due work."""
    close_old_connections()
    due = read_due()
    if due.orphans:
        for model, status in due.orphans:
            free_orphans(model, status)
        due = read_due()
    for work in due.work:
        notify_workers_of(work)


@worker_process_shutdown.connect
@worker_shutdown.connect  # of a worker whose pool is threads, in its only process
def finish_calls(**_: object) -> None:
    """Wait for pending calls, so that a restart leaves no outcome unknown."""
    wait_for_all(LAST_SECONDS)
