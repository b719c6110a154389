"""Django's PostgreSQL backend, whose sessions follow the active company (core.tenancy).

The first statement that needs another role or `app.company` takes them along (core.tenancy.postgresql.cursors), so
that a change costs no round trip. A rollback also undoes `SET`, so the backend forgets the applied settings then, and
on each new connection.

Private parts of django 5.2.19: the methods of a database backend that Django's own backends override.
"""

from __future__ import annotations

import select
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from django.db import Error
from django.db.backends.postgresql import base
from django.db.backends.postgresql.operations import DatabaseOperations
from django.db.backends.postgresql.schema import DatabaseSchemaEditor
from django.db.models import Field, ForeignKey, Model
from psycopg.adapt import Loader
from psycopg.pq import TransactionStatus

from core.ids import ObjectIdField
from core.internals.django import prepare_cursor
from core.tenancy import APP_ROLE, SYSTEM_ROLE, session_settings
from core.tenancy.postgresql.answers import limit_answers
from core.tenancy.postgresql.cursors import PlannedCursor, ScopedCursor, set_scope
from core.tenancy.postgresql.times import read_time
from core.tenancy.scope import Settings
from core.types import JsonObject

FRESH_SECONDS = 5.0
"""A connection that was used so lately is checked by its socket, any other by a statement."""


class FastTimestampLoader(Loader):
    """Reads times, several times as fast as the loader that Django chooses."""

    timezone = UTC
    """Django chooses another loader for cursors of another time zone."""

    def load(self, data: Any) -> datetime:
        return read_time(bytes(data).decode())


class SchemaEditor(DatabaseSchemaEditor):
    """Omits Django's second index, for LIKE on text keys: ObjectIds collate byte by byte, so the first one serves."""

    def _create_like_index_sql(self, model: type[Model], field: Field[Any, Any]) -> Any:
        target = field.target_field if isinstance(field, ForeignKey) else field
        return None if isinstance(target, ObjectIdField) else super()._create_like_index_sql(model, field)  # type: ignore[misc]


class Operations(DatabaseOperations):
    def last_executed_query(self, cursor: Any, sql: Any, params: Any) -> Any:
        if isinstance(cursor, PlannedCursor):
            return self.compose_sql(sql, params)
        executed = super().last_executed_query(cursor, sql, params)
        return executed and executed.removeprefix(getattr(cursor, "taken_along", ""))


class DatabaseWrapper(base.DatabaseWrapper):
    SchemaEditorClass = SchemaEditor
    ops_class = Operations
    _applied: Settings | None = None
    """The settings that the session has for certain."""
    _roles_exist = False
    _used = 0.0

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.planned: dict[str, str] = {}
        """The session's prepared statements, with their names (PlannedCursor)."""
        self.has_stale_plans = False
        """The session has outdated statements too, which are no longer called."""

    def connect(self) -> None:
        # A new session begins as the login role, with nothing prepared.
        self._applied = None
        self.planned = {}
        self.has_stale_plans = False
        self._roles_exist = False
        super().connect()

    def _close(self) -> None:
        self._applied = None
        super()._close()  # type: ignore[misc]

    def get_connection_params(self) -> JsonObject:
        return {**super().get_connection_params(), "cursor_factory": ScopedCursor}

    def get_new_connection(self, conn_params: Any) -> Any:
        connection = super().get_new_connection(conn_params)
        connection.adapters.register_loader("timestamptz", FastTimestampLoader)
        limit_answers(connection)
        return connection

    def create_cursor(self, name: str | None = None) -> Any:
        cursor = super().create_cursor(name)
        cursor.database = self
        return cursor

    def _cursor(self, name: str | None = None) -> Any:
        self._make_ready()
        if name is not None:
            # A server-side cursor is declared by psycopg itself, past our execute().
            self.apply_scope()  # its statement is a DECLARE
        return super()._cursor(name)  # type: ignore[misc]

    def _make_ready(self) -> None:
        self._check_health()
        self.ensure_connection()
        self._used = monotonic()

    def planned_cursor(self) -> Any:
        """Return a cursor for statements that are run again and again, with parameters that leave their plan as it is.

        PostgreSQL keeps their plans for the session; the first use in a session costs a round trip.
        """
        self._make_ready()
        cursor = PlannedCursor(self.connection)
        cursor.database = self
        return prepare_cursor(self, cursor)

    def _check_health(self) -> None:
        """Close a connection that the server has closed, before its first use in a request."""
        if self.connection is None or not self.health_check_enabled or self.health_check_done:  # type: ignore[attr-defined, has-type]
            return
        # No round trip for a connection that was in use just before: the socket shows if the server has
        # closed it.
        if monotonic() - self._used < FRESH_SECONDS and self._is_silent():
            self.health_check_done = True
            return
        # Within a transaction a failed statement would abort it, so Django's own check decides.
        if self.in_atomic_block or self._applied in (None, session_settings()):
            self.close_if_health_check_failed()
            return
        # The statement that sets the scope, which a request needs anyway, shows it as well as one of its own.
        try:
            self.apply_scope()
        except Error:
            self.close_if_health_check_failed()
        else:
            self.health_check_done = True

    def _is_silent(self) -> bool:
        """Return whether the server has sent nothing, as it does when it closes the connection."""
        if self.connection.closed:
            return False
        poll = select.poll()
        poll.register(self.connection.fileno(), select.POLLIN)
        # poll() and not select(), which fails for descriptors above 1,023.
        return not poll.poll(0)

    def missing_settings(self) -> Settings | None:
        """Return the settings of the active scope, or None if the session has them or takes none now."""
        settings = session_settings()
        if settings == self._applied or self.connection is None or self.needs_rollback:
            return None
        if self.settings_dict["NAME"] is None:
            return None  # without a database name, Django creates and drops databases as the login role
        if self.connection.info.transaction_status is TransactionStatus.INERROR:
            return None  # only a rollback may follow, and it resets the settings
        if settings[0] != "none" and not self._has_roles():
            return None  # before the first migration there are no roles and no tables
        return settings

    def apply_scope(self) -> None:
        """Set the session's role and company to those of the active scope."""
        settings = self.missing_settings()
        if settings is None:
            return
        with self.applying(settings), self.wrap_database_errors, self.connection.cursor() as cursor:
            cursor.execute(set_scope(*settings))

    @contextmanager
    def applying(self, settings: Settings) -> Iterator[None]:
        """Note the settings as applied after the block. If an exception leaves it, the applied settings are unknown."""
        # First unknown: an interruption in the middle must not leave a wrong belief about the session.
        self._applied = None
        yield
        self._applied = settings

    def _has_roles(self) -> bool:
        """Return whether the roles of core.tenancy.row_security exist. It asks once per connection."""
        if not self._roles_exist:
            with self.wrap_database_errors, self.connection.cursor() as cursor:
                # That of members is left out: a database that has not been migrated yet serves all others.
                cursor.execute("SELECT count(*) = 2 FROM pg_roles WHERE rolname IN (%s, %s)", (APP_ROLE, SYSTEM_ROLE))
                self._roles_exist = cursor.fetchone()[0]
        return self._roles_exist

    def _rollback(self) -> None:
        # SET is transactional in PostgreSQL: a rollback brings the former role and company back.
        self._applied = None
        super()._rollback()  # type: ignore[misc]

    def _savepoint_rollback(self, sid: str) -> None:
        # So does a rollback to a savepoint.
        super()._savepoint_rollback(sid)  # type: ignore[misc]
        self._applied = None
