"""Deletion of old log entries, in batches.

The primary key finds them: ids start with their creation time, so that old entries come first in the index. A BRIN
index on created_at would degrade, since new rows fill the space of deleted ones and its ranges never shrink.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Model, QuerySet
from django.utils import timezone

from accounts.request_log.models import ServerLog
from core.ids import min_id_at

MAX_PURGED = 10_000


def purge_server_log() -> bool:
    """Delete requests older than SERVER_LOG_DAYS."""
    return purge(ServerLog, settings.SERVER_LOG_DAYS)


def purge(model: type[Model], days: int) -> bool:
    """Delete at most MAX_PURGED of the older entries. Returns whether there may be more."""
    old = model._default_manager.filter(pk__lt=min_id_at(timezone.now() - timedelta(days=days)))
    last = _last_id(old)
    # Deleted by a range of the primary key: one scan of the index, instead of a list of ten thousand ids.
    (old if last is None else old.filter(pk__lte=last)).delete()
    return last is not None


def _last_id(old: QuerySet[Any]) -> str | None:
    """Return the id of the batch's last entry, or None if the batch holds all of them."""
    return next(iter(old.order_by("pk").values_list("pk", flat=True)[MAX_PURGED - 1 : MAX_PURGED]), None)
