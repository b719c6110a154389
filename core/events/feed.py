"""The feed of events: a company's events in an order in which a reader that continues from its cursor misses none.

Sequences are drawn before the commit, so a lower one may become visible after a higher one. The feed is ordered by the
number of the writing transaction, and ends before the oldest running one (docs/decisions/0021-feed-of-events.md).
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
from django.db import connection
from django.utils import timezone

from core.errors import NamedError
from core.events.models import Event, EventDelivery
from core.ids import min_id_at
from core.internals.django import raw_delete
from core.tenancy import company_id, unscoped

EVENT_LIFE = timedelta(days=30)
LOOKED_AT = 10_000
"""Maximum number of events that a page reads to find those of the requested kinds."""
MAX_DELETED = 5_000
HORIZON = "pg_snapshot_xmin(pg_current_snapshot())"
"""The oldest transaction that still runs, in any database of the server."""
MAX_POSITION = 2**63


@dataclass(frozen=True, slots=True)
class Position:
    """A position in the feed: the events before it have been read. `at` is the time up to which that is true."""

    tx: int
    sequence: int
    at: datetime

    def encode(self, epoch: int) -> str:
        """Return the position as a cursor."""
        # Readable by anybody who decodes it, but not meant to be: only form and epoch are checked.
        raw = orjson.dumps([epoch, self.tx, self.sequence, int(self.at.timestamp())])
        return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@dataclass(frozen=True, slots=True)
class FeedPage:
    """A page of the feed with the next position. `has_more` is whether there may be more right now."""

    events: Sequence[Event]
    next: Position
    has_more: bool


def cursor_epoch() -> int:
    """Return the epoch of cursors: it changes when the database is restored (manage.py after_restore)."""
    with connection.cursor() as cursor:
        # last_value, since nextval would change it.
        cursor.execute("SELECT last_value FROM core_event_epoch")
        return int(cursor.fetchone()[0])


def position_of(token: str, *, name: str = "after") -> Position:
    """Read a cursor. Raises InvalidRequest_400, with the oldest cursor if this one is older or of a former database."""
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        if len(raw) > 200:
            raise ValueError("too long")
        made_in, tx, sequence, seconds = orjson.loads(raw)
        if not all(type(number) is int and 0 <= number < MAX_POSITION for number in (made_in, tx, sequence, seconds)):
            raise ValueError("no numbers")
        position = Position(tx, sequence, datetime.fromtimestamp(seconds, UTC))
    except (ValueError, TypeError, OverflowError, OSError):
        raise NamedError(
            "InvalidRequest_400",
            "is no nextCursor of this feed; pass it on unchanged, or begin without one",
            field=name,
        ) from None
    if made_in != cursor_epoch():
        raise _expired(name, "is of the time before the database was restored")
    if position.at < timezone.now() - EVENT_LIFE:
        raise _expired(name, f"is older than the {EVENT_LIFE.days} days for which events are kept")
    return position


def _expired(name: str, reason: str) -> NamedError:
    return NamedError(
        "InvalidRequest_400", f"{reason}; the oldest cursor is {oldest_position().encode(cursor_epoch())}", field=name
    )


def oldest_position() -> Position:
    """Return the position before the company's oldest event that is kept."""
    first = Event.objects.filter(created_at__gte=timezone.now() - EVENT_LIFE).order_by("tx", "sequence").first()
    if first is None:
        return Position(0, 0, timezone.now())
    # Positions are those after which reading goes on.
    return Position(first.tx, first.sequence - 1, first.created_at)


def position_at(moment: datetime) -> Position:
    """Return the position before the company's first event of a time or later."""
    # Ids begin with their time, so the primary key narrows the search.
    first = Event.objects.filter(pk__gte=min_id_at(moment), created_at__gte=moment).order_by("tx", "sequence").first()
    if first is None:
        return Position(_horizon(), 0, timezone.now())
    return Position(first.tx, first.sequence - 1, first.created_at)


def _horizon() -> int:
    """Return the number of the oldest transaction that still runs."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {HORIZON}::text")
        return int(cursor.fetchone()[0])


def read(
    *, after: Position | None, size: int, kinds: Collection[str] | None = None, object_id: str | None = None
) -> FeedPage:
    """Return up to `size` events of the active company after a position, oldest first.

    With `kinds` (None: all) a page reads LOOKED_AT events at most, so that it may be empty before the end.
    """
    began, start = timezone.now(), after or Position(0, 0, timezone.now())
    most = size if kinds is None else LOOKED_AT
    # The horizon is read with the rows in one snapshot; read later it could promise what this page lacks.
    last, horizon = _position_after(start, None if object_id else most)
    # Row comparison of (tx, sequence) walks the index once. Django cannot write it; two conditions with OR
    # would not.
    rows = Event.objects.extra(  # noqa: S610  constant SQL
        where=["(tx, sequence) > (%s::text::xid8, %s)", "tx < %s::text::xid8"],
        params=[str(start.tx), start.sequence, str(horizon)],
    )
    if last is not None:
        rows = rows.extra(  # noqa: S610  constant SQL
            where=["(tx, sequence) <= (%s::text::xid8, %s)"], params=[str(last.tx), last.sequence]
        )
    if kinds is not None:
        rows = rows.filter(kind__in=kinds)
    if object_id is not None:
        rows = rows.filter(object_id=object_id)
    events = list(rows.order_by("tx", "sequence")[:size])
    if len(events) == size:
        return FeedPage(events, Position(events[-1].tx, events[-1].sequence, events[-1].created_at), True)
    if last is not None:
        return FeedPage(events, last, True)
    # All before the horizon has been read. Sequences begin at 1, so the position is before its first event.
    return FeedPage(events, Position(horizon, 0, began), False)


def _position_after(start: Position, most: int | None) -> tuple[Position | None, int]:
    """Return the position of the event that is `most` events further on, if there are so many, and the horizon."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {HORIZON}::text, found.* FROM (SELECT 1) AS one LEFT JOIN LATERAL ("  # noqa: S608  constant SQL
            # xid8 has no type in psycopg, so that it travels as text.
            " SELECT tx::text, sequence, created_at FROM core_event WHERE company_id = %s"
            f" AND (tx, sequence) > (%s::text::xid8, %s) AND tx < {HORIZON}"
            " ORDER BY tx, sequence OFFSET %s LIMIT %s) AS found ON true",
            [company_id(), str(start.tx), start.sequence, (most or 1) - 1, 1 if most else 0],
        )
        horizon, tx, sequence, created_at = cursor.fetchone()
    return (None if tx is None else Position(int(tx), sequence, created_at)), int(horizon)


def restart_feed() -> int:
    """Make the feed right after a restore from a dump (manage.py after_restore). Returns the number of events.

    Transactions of the new database count from the start, so that events of the old one would seem to be of the future.
    They become events of the first transaction, in the order of their sequence, and cursors of before are refused.
    """
    with unscoped(reason="restore: events of all companies"), connection.cursor() as cursor:
        # The first normal transaction number: older than any horizon.
        cursor.execute("UPDATE core_event SET tx = '3'::xid8 WHERE tx <> '3'::xid8")
        changed = int(cursor.rowcount)
        cursor.execute(
            # Two restores within a second still get different epochs.
            "SELECT setval('core_event_epoch', greatest(last_value + 1, extract(epoch FROM now())::bigint))"
            " FROM core_event_epoch"
        )
    return changed


def forget_old() -> bool:
    """Delete events that are older than KEPT and a day, and that no consumer waits for (a periodic task)."""
    # An event that a consumer has not handled is kept, however old.
    old = Event.objects.filter(pk__lt=min_id_at(timezone.now() - EVENT_LIFE - timedelta(days=1)), deliveries=None)
    ids: list[Any] = list(old.order_by("pk").values_list("pk", flat=True)[:MAX_DELETED])
    raw_delete(Event.objects.filter(pk__in=ids), cleared=(EventDelivery,))
    return len(ids) == MAX_DELETED
