"""Busy times of members in their connected calendars: queried every few minutes, and again before a booking."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from random import SystemRandom
from time import monotonic

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.jobs.leases import LeaseLost, backoff_delay, claim, update_owned
from core.jobs.registry import Moment
from core.tenancy import company_scope
from outreach.connections.calendars.google import CalendarFailed, busy_between
from outreach.connections.calendars.models import CalendarConnection
from outreach.connections.calendars.notices import record_failure
from outreach.connections.calendars.selectors import working_connections

log = logging.getLogger(__name__)
ACTIVE = Q(is_active=True)
AHEAD = timedelta(days=91)
"""Time range of the query; pages can be booked as far ahead at most."""
EVERY = timedelta(minutes=5)
FRESH = timedelta(seconds=20)
"""Age below which a response is not queried again."""
MAX_CALENDARS = 3
"""Calendars that are asked while a visitor waits; of the others the last answer counts."""
PATIENCE = 3.0
_random = SystemRandom()


def due_connections(now: Moment) -> list[QuerySet[CalendarConnection]]:
    """Return the connections whose calendars are to be asked."""
    return [CalendarConnection.claimable(now, ACTIVE)]


def ask_due(deadline: float) -> None:
    """Ask due calendars until none is left or monotonic() passes the deadline."""
    while monotonic() < deadline:
        rows = claim(CalendarConnection, limit=1, extra=ACTIVE)
        if not rows:
            return
        with company_scope(rows[0].company_id):
            _ask_due(rows[0])


def _ask_due(connection: CalendarConnection) -> None:
    now = timezone.now()
    done = {"status": CalendarConnection.Work.WAITING, "worker": None, "deaths": 0}
    try:
        if connection.needs_login:
            update_owned(connection, **done, due_at=now + timedelta(hours=1))
            return
        try:
            busy = busy_between(connection, now, now + AHEAD)
        except CalendarFailed as failed:
            with transaction.atomic():
                due_at = now + backoff_delay(min(connection.attempts, 10))
                update_owned(connection, **done, due_at=due_at)
                record_failure(connection, failed)
            return
        due_at = now + EVERY * _random.uniform(0.9, 1.0)
        update_owned(connection, **done, due_at=due_at, busy=busy, busy_at=now, error="", attempts=0)
    except LeaseLost:
        return


def ask_now(members: Iterable[str], start: datetime, end: datetime) -> None:
    """Query the members' calendars that have no recent response, each once and with a short timeout.

    If Google does not respond in time, the last response counts.
    """
    now = timezone.now()
    old = [row for row in working_connections([*members]) if row.busy_at is None or row.busy_at < now - FRESH]
    usable = sorted((row for row in old if not row.needs_login), key=lambda row: row.busy_at or row.created_at)
    for connection in usable[:MAX_CALENDARS]:
        try:
            busy = busy_between(connection, now, now + AHEAD, seconds=PATIENCE)
        except CalendarFailed as failed:
            with transaction.atomic():
                record_failure(connection, failed)
            continue
        stale = CalendarConnection.objects.filter(ACTIVE, Q(busy_at=None) | Q(busy_at__lt=now), pk=connection.pk)
        stale.update(busy=busy, busy_at=now, error="")
