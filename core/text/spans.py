"""Moments of answers, and how far off they are."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

DAY = timedelta(days=1)


def moment_of(value: Any) -> datetime:
    """Return a moment of an answer."""
    return value if isinstance(value, datetime) else datetime.fromisoformat(str(value))


def days_until(value: Any) -> int:
    """Return how many days are left until a moment of an answer, or 0 for none; one that has begun counts."""
    return max(0, -((timezone.now() - moment_of(value)) // DAY)) if value else 0
