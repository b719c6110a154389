"""The announcements that are shown now. They are cached, because every page of every company asks for them."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.core.cache import cache
from django.utils import timezone

from core.announcements.models import Announcement

MAX_SHOWN = 3
"""Announcements above a page. The newest come first."""
MAX_CACHED = 50
"""More than are shown, since some start or end while they are cached."""
KEEP_SECONDS = 30
KEY = "core.announcements"


def current_announcements(now: datetime | None = None) -> list[Announcement]:
    """Return the announcements of a moment: from their start on, until just before their end."""
    moment = now or timezone.now()
    rows: list[Announcement] = cache.get_or_set(KEY, lambda: _current(moment), KEEP_SECONDS) or []
    return [row for row in rows if row.starts_at <= moment < row.ends_at][:MAX_SHOWN]


def forget() -> None:
    """Clear the cache, so that the next page reads the rows again."""
    cache.delete(KEY)


def _current(moment: datetime) -> list[Announcement]:
    """Return the announcements that are shown until the cache is read again, the newest first."""
    soon = moment + timedelta(seconds=KEEP_SECONDS)
    rows = Announcement.objects.filter(starts_at__lte=soon, ends_at__gt=moment)
    return list(rows.order_by("-starts_at", "-pk")[:MAX_CACHED])
