"""Relative times, such as "3 d ago": one way for the members' pages and the back office."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext

from core.text.translation import gettext_lazy

DAY = 86_400
STEPS = (
    (60, gettext_lazy("%(count)s min ago"), gettext_lazy("in %(count)s min"), 3600),
    (3600, gettext_lazy("%(count)s h ago"), gettext_lazy("in %(count)s h"), DAY),
    (DAY, gettext_lazy("%(count)s d ago"), gettext_lazy("in %(count)s d"), 7 * DAY),
)
"""Seconds of a unit, its texts for past and future, and the seconds up to which it is used."""


def age_text(moment: datetime, now: datetime | None = None) -> str:
    """Return a time relative to now, or an empty text from a week on, where the day says more."""
    seconds = ((now or timezone.now()) - moment).total_seconds()
    if 0 <= seconds < 60:
        return gettext("just now")
    for size, past, future, until in STEPS:
        if abs(seconds) < until:
            count = int(abs(seconds) // size)
            return past % {"count": count} if seconds > 0 else future % {"count": max(count, 1)}
    return ""
