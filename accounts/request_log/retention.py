"""Old log entries go, a bounded piece at a time.

They are found by the primary key: ids begin with the time they were made at, so that the old ones are the first of the index. A BRIN index
on created_at would not do for long, since new rows take the room of deleted ones and its ranges never narrow.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Model, QuerySet
from django.utils import timezone

from accounts.request_log.models import ServerLog
from core.ids import first_id

AT_ONCE = 10_000


def purge_server_log() -> bool:
    """Delete requests older than SERVER_LOG_DAYS."""
    return purge(ServerLog, settings.SERVER_LOG_DAYS)


def purge(model: type[Model], days: int) -> bool:
    """Delete at most AT_ONCE of the entries that are older; whether there may be more."""
    old = model._default_manager.filter(pk__lt=first_id(timezone.now() - timedelta(days=days)))
    last = _last(old)
    (old if last is None else old.filter(pk__lte=last)).delete()
    return last is not None


def _last(old: QuerySet) -> str | None:
    """The id of the last entry of the piece; None when it holds them all."""
    return next(iter(old.order_by("pk").values_list("pk", flat=True)[AT_ONCE - 1 : AT_ONCE]), None)
