"""Cursors: one whose statements take a changed scope along, one whose statements PostgreSQL plans once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import psycopg
from django.db.backends.postgresql import base
from psycopg import sql
from psycopg.pq import TransactionStatus

if TYPE_CHECKING:
    from core.tenancy.postgresql.base import DatabaseWrapper

Settings = tuple[str, str]
TAKEN_ALONG = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "EXPLAIN")
"""What the statements begin with that the settings go in front of. Others, such as SET TRANSACTION, may have to be the
first or the only one of their transaction."""


@lru_cache(maxsize=1024)
def set_scope(role: str, company: str) -> str:
    """Return the statement that sets the session's role and company; role none is the login role."""
    values = {"role": role, "app.company": company, "app.owner": "on" if role == "none" else ""}
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
        wanted = None if self.database is None else self.database.missing_settings()
        if self.database is None or wanted is None:
            return super().execute(query, params, **options)
        if not (isinstance(query, str) and query.lstrip().startswith(TAKEN_ALONG)):
            self.database.apply_scope()
            return super().execute(query, params, **options)
        self.taken_along = set_scope(*wanted) + ";"
        with self.database.applying(wanted):
            head = self.taken_along if params is None else self.taken_along.replace("%", "%%")
            super().execute(head + query, params, **options)
            self.nextset()
        return self

    def executemany(self, *args: Any, **options: Any) -> Any:
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


class PlannedCursor(psycopg.Cursor[Any]):
    """A cursor whose statements PostgreSQL parses and plans once for each session (server-side prepared statements)."""

    database: DatabaseWrapper

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        self.database.apply_scope()
        # Only this cursor's statements are kept: psycopg would count every statement of the session otherwise.
        self.connection.prepare_threshold = 0
        try:
            return super().execute(query, params, **options)
        except psycopg.errors.FeatureNotSupported:
            if self.connection.info.transaction_status is not TransactionStatus.IDLE:
                raise
            # A migration has changed the type of a column: the session's plan serves no longer.
            self.connection.execute("DEALLOCATE ALL")
            return super().execute(query, params, **options)
        finally:
            self.connection.prepare_threshold = None
