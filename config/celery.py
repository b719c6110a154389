"""The Celery app: settings come from Django, names start with CELERY_."""

from __future__ import annotations

import os

from celery import Celery

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
