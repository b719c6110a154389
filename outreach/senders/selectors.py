"""Reads of senders that are more than a filter."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from outreach.senders.models import Smtp


def failing_senders() -> QuerySet[Smtp]:
    """Return the senders in use by which no message goes: not verified, stopped, or resting after failures."""
    return Smtp.objects.filter(Q(verified=False) | Q(failures__gt=0) | Q(stopped_at__isnull=False), is_active=True)
