"""Reads over the members' connected calendars."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from outreach.connections.calendars.models import CalendarConnection


def working_connections(members: Collection[str]) -> list[CalendarConnection]:
    """Return the connections of the members that work."""
    return list(CalendarConnection.objects.filter(member_id__in=members, is_active=True))


def busy_of(members: Collection[str], start: datetime, end: datetime) -> dict[str, list[tuple[datetime, datetime]]]:
    """Return member -> busy times from Google, of the members who have connected a calendar."""
    return {connection.member_id: spans_of(connection, start, end) for connection in working_connections(members)}


def spans_of(connection: CalendarConnection, start: datetime, end: datetime) -> list[tuple[datetime, datetime]]:
    """Return the known busy times of a calendar that overlap with the given time."""
    pairs = [(datetime.fromisoformat(begins), datetime.fromisoformat(ends)) for begins, ends in connection.busy]
    return [(begins, ends) for begins, ends in pairs if begins < end and ends > start]
