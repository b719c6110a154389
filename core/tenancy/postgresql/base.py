"""Django's PostgreSQL backend, whose sessions follow the active company (core.tenancy).

It sets the role and `app.company` before the first statement that needs other ones: one round trip per change. A
rollback also undoes `SET`, so the backend forgets the applied settings then, and on each new connection.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.db import Error
from django.db.backends.postgresql import base
from django.db.backends.postgresql.schema import DatabaseSchemaEditor
from django.db.models import Field, ForeignKey, Model
from psycopg.adapt import Loader
from psycopg.pq import TransactionStatus
from psycopg.types.datetime import TimestamptzLoader

from core.ids import ObjectIdField
from core.tenancy import APP_ROLE, SYSTEM_ROLE, session_settings

SET_SCOPE = (
    "SELECT set_config('role', %s, false), set_config('app.company', %s, false), set_config('app.owner', %s, false)"
)


class FastTimestampLoader(Loader):
    """Reads times in UTC, several times as fast as the loader that Django chooses."""

    timezone = UTC
    """Django chooses another loader for cursors of another time zone."""

    def load(self, data: Any) -> datetime:
        text = bytes(data).decode()
        if text.endswith("+00"):
            try:
                return datetime.fromisoformat(text[:-3]).replace(tzinfo=UTC)
            except ValueError:
                pass  # a year that Python lacks: the error is psycopg's
        return TimestamptzLoader(self.oid, self.connection).load(data)


class SchemaEditor(DatabaseSchemaEditor):
    """Omits Django's second index, for LIKE on text keys: ObjectIds collate byte by byte, so the first one serves."""

    def _create_like_index_sql(self, model: type[Model], field: Field[Any, Any]) -> Any:
        target = field.target_field if isinstance(field, ForeignKey) else field
        return None if isinstance(target, ObjectIdField) else super()._create_like_index_sql(model, field)  # type: ignore[misc]


class DatabaseWrapper(base.DatabaseWrapper):
    SchemaEditorClass = SchemaEditor
    _applied: tuple[str, str] | None = None
    _roles_exist = False

    def connect(self) -> None:
        self._applied = None
        self._roles_exist = False
        super().connect()

    def _close(self) -> None:
        self._applied = None
        super()._close()  # type: ignore[misc]

    def get_new_connection(self, conn_params: Any) -> Any:
        made = super().get_new_connection(conn_params)
        made.adapters.register_loader("timestamptz", FastTimestampLoader)
        return made

    def _cursor(self, name: str | None = None) -> Any:
        self._check_health()
        self.ensure_connection()
        self.apply_scope()
        return super()._cursor(name)  # type: ignore[misc]

    def _check_health(self) -> None:
        """Close a connection that the server has closed, before its first use in a request.

        The statement that sets the scope, which a request needs anyway, shows it as well as one of its own.
        """
        if self.connection is None or not self.health_check_enabled or self.health_check_done:  # type: ignore[attr-defined, has-type]
            return
        if self.in_atomic_block or self._applied in (None, session_settings()):
            self.close_if_health_check_failed()
            return
        try:
            self.apply_scope()
        except Error:
            self.close_if_health_check_failed()
        else:
            self.health_check_done = True

    def apply_scope(self) -> None:
        """Set the session's role and company to those of the active scope."""
        if self.settings_dict["NAME"] is None or self.connection is None or self.needs_rollback:
            return  # without a database name, Django creates and drops databases as the login role
        if self.connection.info.transaction_status is TransactionStatus.INERROR:
            return  # only a rollback may follow, and it resets the settings
        wanted = session_settings()
        if wanted == self._applied:
            return
        with self.wrap_database_errors, self.connection.cursor() as cursor:
            if wanted[0] != "none" and not self._has_roles(cursor):
                return  # before the first migration there are no roles and no tables
            cursor.execute(SET_SCOPE, (*wanted, "on" if wanted[0] == "none" else ""))
        self._applied = wanted

    def _has_roles(self, cursor: Any) -> bool:
        """Tell whether the roles of core.tenancy.row_security exist. It asks once per connection."""
        if not self._roles_exist:
            cursor.execute("SELECT count(*) = 2 FROM pg_roles WHERE rolname IN (%s, %s)", (APP_ROLE, SYSTEM_ROLE))
            self._roles_exist = cursor.fetchone()[0]
        return self._roles_exist

    def _rollback(self) -> None:
        self._applied = None
        super()._rollback()  # type: ignore[misc]

    def _savepoint_rollback(self, sid: str) -> None:
        super()._savepoint_rollback(sid)  # type: ignore[misc]
        self._applied = None
