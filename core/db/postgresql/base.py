"""Django's PostgreSQL backend, whose sessions follow the active company (core.tenancy).

The role and `app.company` are set before the first statement that needs them changed: one round trip a change, none otherwise.
A rollback takes `SET` back with it, so the remembered state is forgotten then, and on each new connection.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus

from core.tenancy import session_settings


class DatabaseWrapper(base.DatabaseWrapper):
    _applied: tuple[str, str] | None = None

    def connect(self) -> None:
        self._applied = None
        super().connect()

    def _close(self) -> None:
        self._applied = None
        super()._close()  # type: ignore[misc]

    def _cursor(self, name: str | None = None) -> Any:
        self.ensure_connection()
        self.apply_scope()
        return super()._cursor(name)  # type: ignore[misc]

    def apply_scope(self) -> None:
        """Bring the session's role and company in line with the active scope."""
        if self.settings_dict["NAME"] is None or self.connection is None or self.needs_rollback:
            return  # without a database name Django creates and drops databases, as the login role
        if self.connection.info.transaction_status is TransactionStatus.INERROR:
            return  # only the rollback may follow, and it forgets the state
        wanted = session_settings()
        if wanted == self._applied:
            return
        with self.wrap_database_errors, self.connection.cursor() as cursor:
            cursor.execute("SELECT set_config('role', %s, false), set_config('app.company', %s, false)", wanted)
        self._applied = wanted

    def _rollback(self) -> None:
        self._applied = None
        super()._rollback()  # type: ignore[misc]

    def _savepoint_rollback(self, sid: str) -> None:
        super()._savepoint_rollback(sid)  # type: ignore[misc]
        self._applied = None
