"""Errors of the database that say nothing about the statement: the same one succeeds later."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import sleep

from django.db import DatabaseError, InternalError, OperationalError, connection

log = logging.getLogger(__name__)

CONNECTION_LOST = ("08", "57P01", "57P02", "57P03", "53300")
"""First characters of SQLSTATEs with which the server ends the session or refuses new ones (PostgreSQL, appendix A)."""
READ_ONLY = "25006"
NO_WRITES = ("53100", "53200", READ_ONLY)
"""The SQLSTATEs of a full disk, of a server without memory, and of one that only reads.

Managed servers only read when their disk is nearly full, and others when they have just become a standby.
"""


FIRST_PAUSE = 1.0
MAX_PAUSE = 15.0


_writes_nothing: ContextVar[bool] = ContextVar("writes_nothing", default=False)


@contextmanager
def expect_no_writes() -> Iterator[None]:
    """Mark a block whose transaction is read-only by our own choice: a write in it is an error of ours."""
    token = _writes_nothing.set(True)
    try:
        yield
    finally:
        _writes_nothing.reset(token)


def database_is_away(error: BaseException | None) -> bool:
    """Return whether the statement failed since no connection could be made, or since it was lost on the way."""
    if not isinstance(error, OperationalError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    # psycopg gives no SQLSTATE where the connection itself failed.
    return state is None or state.startswith(CONNECTION_LOST)


def database_takes_no_writes(error: BaseException | None) -> bool:
    """Return whether the statement failed since the server can write nothing now."""
    if not isinstance(error, OperationalError | InternalError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state in NO_WRITES and not (state == READ_ONLY and _writes_nothing.get())


def may_succeed_later(error: BaseException | None) -> bool:
    """Return whether the database was away or took no writes, whatever the statement was."""
    return database_is_away(error) or database_takes_no_writes(error)


def retry_until_available(write: Callable[[], object]) -> None:
    """Retry a write until the database accepts it. Call it outside of any transaction."""
    pause = FIRST_PAUSE
    while True:
        try:
            write()
            return
        except DatabaseError as error:
            if not may_succeed_later(error):
                raise
            log.warning("waiting for the database, which takes nothing: %s", error)
        # A session that was ended stays unusable; the next attempt opens another.
        connection.close()
        sleep(pause)
        pause = min(2 * pause, MAX_PAUSE)
