"""celery worker --share QUEUES=N: at most N processes of the pool run work of these queues at once."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from celery import Celery
from celery.bootsteps import StartStopStep
from click import Option


class SharedPool(StartStopStep):  # type: ignore[misc]  # Celery has no types
    """The part of a worker that limits queues to shares of its pool."""

    def __init__(self, worker: Any, share: tuple[str, ...] = (), **options: Any) -> None:
        super().__init__(worker, **options)
        self.enabled = bool(share)
        if share:
            # Before the pool forks. Django is set up by now, and not when Celery's app imports this module.
            import_module("core.jobs.shares").set_shares(share)


def add_shares(app: Celery) -> None:
    """Give the workers of the app the option --share."""
    app.user_options["worker"].add(Option(["--share"], multiple=True, help="QUEUES=N: at most N processes for these."))
    app.steps["worker"].add(SharedPool)
