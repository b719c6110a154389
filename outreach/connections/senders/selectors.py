"""Reads of senders that are more than a filter."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet

from outreach.connections.senders.models import Sender, Smtp

FAILING = Q(verified=False) | Q(failures__gt=0)
"""Not verified, or resting after failures."""


def failing_senders(kind: type[Sender] = Smtp) -> QuerySet[Any]:
    """Return the senders of a kind that are in use and by which no message goes: failing, or stopped."""
    return kind._default_manager.filter(FAILING | Q(stopped_at__isnull=False), is_active=True)
