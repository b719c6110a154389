"""Moments of answers, and how far off they are."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

DAY = timedelta(days=1)


def moment_of(value: Any) -> datetime:
    """Return a time of a response."""
    return value if isinstance(value, datetime) else datetime.fromisoformat(str(value))


def days_until(value: Any) -> int:
    """Return the number of days left until a time of a response, or 0 for none; a started day counts."""
    return max(0, -((timezone.now() - moment_of(value)) // DAY)) if value else 0
