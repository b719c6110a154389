"""The Celery app: settings come from Django, names start with CELERY_."""

from __future__ import annotations

import gc
import os

from celery import Celery
from celery.signals import worker_init

from config.beat import add_ticks
from config.shares import add_shares
from config.watchdog import add_watchdog

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
app = Celery("leadwright")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["core.jobs"])
add_shares(app)
add_ticks(app)
add_watchdog(app)


def keep_loaded_objects_shared(**_: object) -> None:
    """Take what is loaded out of garbage collection, before the pool forks.

    Celery collects in the parent before each fork, which copies the memory that it shares with the process before:
    70 MB for each process of the pool.
    """
    gc.collect()
    gc.freeze()


worker_init.connect(keep_loaded_objects_shared)
