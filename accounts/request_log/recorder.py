"""Writes the server log outside of the requests.

A bounded queue in the process, a thread with its own connection, one statement a batch.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import fields
from time import monotonic, sleep
from typing import Any

import orjson
from django.db import InterfaceError, OperationalError, close_old_connections, connection

from accounts.request_log.entry import Entry
from accounts.request_log.models import ServerLog
from core.tenancy import unscoped

log = logging.getLogger(__name__)

MAX_BATCH = 500


def table_of(field: str) -> str:
    """Return the table that a reference of the log points to."""
    model: Any = ServerLog._meta.get_field(field).related_model
    return str(model._meta.db_table)


COLUMNS = tuple(field.name for field in fields(Entry))
# One JSON text costs a quarter of as many parameters. The joins clear deleted companies and members.
# A batch is written again if its commit was not confirmed, hence ON CONFLICT.
INSERT = """
INSERT INTO {log} ({columns})
SELECT {values} FROM json_populate_recordset(NULL::{log}, %s::json) AS entry
LEFT JOIN {company} AS company ON company.id = entry.company_id
LEFT JOIN {member} AS member ON member.company_id = entry.company_id AND member.id = entry.member_id
ON CONFLICT (id) DO NOTHING
""".format(
    log=ServerLog._meta.db_table,
    company=table_of("company"),
    member=table_of("member"),
    columns=", ".join(COLUMNS),
    values=", ".join(
        {"company_id": "company.id", "member_id": "member.id"}.get(name, f"entry.{name}") for name in COLUMNS
    ),
)


def store(entries: Sequence[Entry]) -> None:
    """Insert the entries in one statement."""
    with unscoped(reason="server log: requests to all companies, and to none"), connection.cursor() as cursor:
        cursor.execute(INSERT, [orjson.dumps(entries).decode()])


class Recorder:
    """Takes entries from any thread without waiting, and stores them within about `interval` seconds.

    At most `capacity` entries wait. While the database is away, further entries are dropped and counted in the
    process's log. Each process starts the thread with its first entry. It outlives the main thread until everything is
    stored, for at most `shutdown_timeout` seconds.
    """

    def __init__(
        self,
        store: Callable[[Sequence[Entry]], None],
        *,
        capacity: int = 10_000,
        interval: float = 0.2,
        retry: float = 1.0,
        shutdown_timeout: float = 5.0,
    ) -> None:
        self._store = store
        self._capacity = capacity
        self._interval = interval
        self._retry = retry
        self._shutdown_timeout = shutdown_timeout
        self.reset()

    def reset(self) -> None:
        """Reset, as a forked child must: the waiting entries and the thread belong to its parent."""
        self._waiting: deque[Entry] = deque()
        self._wakeup = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.dropped = 0

    def put(self, entry: Entry) -> None:
        """Queue the entry."""
        # No lock: a deque is safe for threads, and one entry too many does no harm.
        if len(self._waiting) >= self._capacity:
            self._drop(1)
            return
        self._waiting.append(entry)
        if self._thread is None:
            self._start()
        if not self._wakeup.is_set():
            self._wakeup.set()

    def flush(self) -> bool:
        """Store the waiting entries in the calling thread.

        Returns False if the database is away and they keep waiting.
        """
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(MAX_BATCH, len(self._waiting)))]
            try:
                self._keep(batch)
            except (OperationalError, InterfaceError) as error:
                # Put back in their order. The thread tries again when the database answers.
                self._waiting.extendleft(reversed(batch))
                log.error("the server log waits for the database: %s", error)
                return False
        return True

    def _keep(self, batch: list[Entry]) -> None:
        try:
            self._store(batch)
        except (OperationalError, InterfaceError):
            raise
        except Exception:  # noqa: BLE001  the edge of one entry: a bad one never costs a good one
            if len(batch) == 1:
                log.exception("a request could not be written to the server log")
                self._drop(1)
                return
            middle = len(batch) // 2
            self._keep(batch[:middle])
            self._keep(batch[middle:])

    def _drop(self, count: int) -> None:
        with self._lock:
            self.dropped += count

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                # Not a daemon: the interpreter waits for it, so that a regular exit loses nothing.
                self._thread = threading.Thread(target=self._run, name="server-log", daemon=False)
                self._thread.start()

    def _run(self) -> None:
        reported = 0
        main = threading.main_thread()
        while main.is_alive():
            if not self._wakeup.wait(self._retry / 2):
                continue
            sleep(self._interval)
            self._wakeup.clear()
            if self.flush():
                close_old_connections()
            else:
                connection.close()
                sleep(self._retry)
                self._wakeup.set()
            if self.dropped > reported:
                log.error("%d requests are missing in the server log", self.dropped - reported)
                reported = self.dropped
        self._finish()

    def _finish(self) -> None:
        deadline = monotonic() + self._shutdown_timeout
        while not self.flush() and monotonic() < deadline:
            connection.close()
            sleep(self._interval)
        if self._waiting:
            log.error("%d requests are missing in the server log", len(self._waiting))
        connection.close()


RECORDER = Recorder(store)
os.register_at_fork(after_in_child=RECORDER.reset)
