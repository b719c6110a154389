"""Cursors: one sends a changed scope with the next statement, one prepares its statements."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.postgresql import base
from psycopg import errors, sql
from psycopg.pq import TransactionStatus

if TYPE_CHECKING:
    from core.tenancy.postgresql.base import DatabaseWrapper

TAKEN_ALONG = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "PREPARE", "EXECUTE", "EXPLAIN")
"""First words of the statements that the settings precede. Others, such as SET TRANSACTION, may have to be the first
or only one of their transaction."""


@lru_cache(maxsize=1024)
def set_scope(role: str, company: str, own_contact: str, own_lead: str) -> str:
    """Return the statement that sets the session's role, company and member; role none is the login role."""
    # Reset with every scope, so that it never stays on by accident.
    values = {"role": role, "app.company": company, "app.owner": "on" if role == "none" else ""}
    values |= {"app.own_contact": own_contact, "app.own_lead": own_lead, "app.member": own_contact or own_lead}
    return f"SELECT {', '.join(f'set_config({sql.quote(k)}, {sql.quote(v)}, false)' for k, v in values.items())}"


class ScopedCursor(base.CursorMixin, psycopg.ClientCursor[Any]):
    """A cursor whose statements run in the active scope.

    A statement that needs other settings than the session has is sent with the one that sets them, in one message. If
    either fails, PostgreSQL undoes both.
    """

    database: DatabaseWrapper | None = None
    """None for statements about the session itself."""
    taken_along = ""
    """The text that was sent in front of the last statement."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        self.taken_along = ""
        settings = None if self.database is None else self.database.missing_settings()
        if self.database is None or settings is None:
            return super().execute(query, params, **options)
        # DECLARE, COPY and SET TRANSACTION cannot be one of two statements in a message.
        if not (isinstance(query, str) and query.lstrip().startswith(TAKEN_ALONG)):
            self.database.apply_scope()
            return super().execute(query, params, **options)
        self.taken_along = set_scope(*settings) + ";"
        with self.database.applying(settings):
            # The head is part of a text whose percent signs psycopg reads as placeholders.
            head = self.taken_along if params is None else self.taken_along.replace("%", "%%")
            super().execute(head + query, params, **options)
            # The first result is that of set_config.
            self.nextset()
        return self

    def executemany(self, *args: Any, **options: Any) -> Any:
        # These send several messages, so the settings go first, in one of their own.
        self._apply_scope()
        return super().executemany(*args, **options)

    def copy(self, *args: Any, **options: Any) -> Any:
        self._apply_scope()
        return super().copy(*args, **options)

    def stream(self, *args: Any, **options: Any) -> Any:
        self._apply_scope()
        return super().stream(*args, **options)

    def _apply_scope(self) -> None:
        if self.database is not None:
            self.database.apply_scope()


class PlannedCursor(ScopedCursor):
    """A cursor whose statements PostgreSQL parses and plans once for each session (PREPARE, then EXECUTE).

    The scope is sent with an EXECUTE as with any statement. Psycopg's own prepared statements could not carry it,
    because their protocol takes one statement a message.
    """

    database: DatabaseWrapper

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        # DEALLOCATE cannot be sent within a transaction that is broken.
        if self.database.has_stale_plans and self._is_idle:
            self._forget_plans()
        try:
            return super().execute(self._call(query), params, **options)
        except (errors.FeatureNotSupported, errors.InvalidSqlStatementName):
            # A migration has changed the type of a column, or the session was cleared.
            if not self._is_idle:
                # Nothing can be done in this transaction; the next one must not call the same statements again.
                self.database.planned.clear()
                self.database.has_stale_plans = True
                raise
            self._forget_plans()
            return super().execute(self._call(query), params, **options)

    @property
    def _is_idle(self) -> bool:
        return self.connection.info.transaction_status is TransactionStatus.IDLE

    def _forget_plans(self) -> None:
        super().execute("DEALLOCATE ALL")
        self.database.planned.clear()
        self.database.has_stale_plans = False

    def _call(self, query: str) -> str:
        """Return the EXECUTE of the statement, after its PREPARE if the session doesn't have it."""
        body, arguments = _prepared_statement(query)
        planned = self.database.planned
        name = planned.pop(query, None)
        if name is None:
            # Each plan takes memory of the server's process for as long as the session lives.
            if len(planned) >= MAX_PREPARED:
                super().execute(f"DEALLOCATE {planned.pop(next(iter(planned)))}")
            # Never a name twice: an interruption may leave a forgotten statement.
            name = f"planned_{next(_numbers)}"
            super().execute(f"PREPARE {name} AS {body}")
        planned[query] = name  # the last one now, so that the first is the one that was used longest ago
        return f"EXECUTE {name}{arguments}"


def planned_cursor() -> Any:
    """Return a cursor of the database connection whose statements are planned once (DatabaseWrapper.planned_cursor)."""
    connection: Any = connections[DEFAULT_DB_ALIAS]
    return connection.planned_cursor()


MAX_PREPARED = 100
"""The most statements that a session keeps."""
_numbers = count(1)


@lru_cache(maxsize=256)
def _prepared_statement(query: str) -> tuple[str, str]:
    """Return the statement with PostgreSQL's placeholders, and the arguments of its EXECUTE with psycopg's."""
    arguments: list[str] = []

    def numbered(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        if match[1] is None or match[0] not in arguments:
            arguments.append(match[0])
        return f"${len(arguments) if match[1] is None else arguments.index(match[0]) + 1}"

    body = re.sub(r"%(?:%|s|\((\w+)\)s)", numbered, query)
    return body, f"({', '.join(arguments)})" if arguments else ""
