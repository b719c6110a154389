"""Give up on a PostgreSQL that does not answer, in web processes. Workers wait for it.

No socket option notices a server process that is stopped: its machine still acknowledges what it is sent.

Private parts of psycopg 3.3.9: the error of a wait that has timed out, which is not an OperationalError.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TypeVar

import psycopg
from psycopg import errors
from psycopg.abc import PQGen

ANSWER_SECONDS = "DATABASE_ANSWER_SECONDS"
"""The variable of the environment by which config.web sets the limit for its processes."""
T = TypeVar("T")


def limit_answers(connection: psycopg.Connection) -> None:
    """Close the connection, and raise OperationalError, when an answer takes longer than the process's limit."""
    seconds = os.environ.get(ANSWER_SECONDS)
    if seconds:
        connection.wait = partial(_wait, connection, float(seconds))  # type: ignore[method-assign]


def _wait(
    connection: psycopg.Connection,
    seconds: float,
    generator: PQGen[T],
    interval: float = 0.1,
    timeout: float | None = None,
) -> T:
    if timeout is not None:  # psycopg's own, which it handles
        return psycopg.Connection.wait(connection, generator, interval, timeout)
    try:
        return psycopg.Connection.wait(connection, generator, interval, seconds)
    except errors._WaitTimeout:
        # The answer may still come and would be taken for that of the next statement.
        connection.pgconn.finish()
        raise errors.OperationalError(f"PostgreSQL has not answered for {seconds:.0f} s") from None
