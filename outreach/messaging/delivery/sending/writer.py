"""The writer of a sending process: a thread that commits the entries of all its connections as one transaction.

During a commit the next group gathers, so that many messages share one wait for the disk. A connection that submits an
intent continues only after its COMMIT has returned.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic, sleep

import psycopg

from core.ids import new_id
from core.jobs.liveness import connection_parameters
from core.tenancy import SYSTEM_ROLE
from outreach.messaging.delivery.sending.intents import INTENT, TAKE_BACK, Row, parameters, settle

log = logging.getLogger(__name__)

MAX_BATCH_ROWS = 500
"""Rows of a group."""
PATIENCE = 30.0
"""Seconds in which an unavailable database may return. Afterwards the sweeper marks unsettled messages as unknown."""
GATHER = 0.012
"""Seconds for which a group gathers at most, unless half of the connections wait for it: a group costs PostgreSQL as
much as six messages do, however many it has."""
_PLANNING = {
    "plan_cache_mode": "force_generic_plan",
    **dict.fromkeys(("enable_hashjoin", "enable_mergejoin", "enable_seqscan"), "off"),
}
"""Planner settings: a group has few rows, each selected by its id, but the planner would read whole tables. It would
also read tables that are small now, and the plan is kept while they grow."""
_PAUSE = 0.2
_LOST = (psycopg.OperationalError, psycopg.InterfaceError)


class IntentLost(Exception):
    """The commit of the intent has an unknown result. The message was not sent; its row was reverted if possible."""


@dataclass(eq=False)
class _Intent:
    row: Row
    done: threading.Event = field(default_factory=threading.Event)
    held: bool = False
    error: BaseException | None = None

    def end(self, *, held: bool = False, error: BaseException | None = None) -> None:
        self.held = held
        self.error = error
        self.done.set()


@dataclass(eq=False)
class _Settled:
    row: Row
    late: Callable[[], None]


def connect() -> psycopg.Connection:
    """Return a connection of its own, whose statements are planned once and see the rows of all companies.

    Each statement names the company of each row (outreach.messaging.delivery.sending.intents).
    """
    connection = psycopg.connect(**connection_parameters("sender"), autocommit=True, prepare_threshold=0)
    for name, value in {"role": SYSTEM_ROLE, **_PLANNING}.items():
        # For the session instead of the transaction: each statement is its own transaction.
        connection.execute("SELECT set_config(%s, %s, false)", [name, value], prepare=False)
    return connection


class Writer:
    """Commits intents and settles messages, for many threads. Close it when they are done."""

    connections = 0
    """Present number of connections that submit messages."""

    def __init__(self, connect: Callable[[], psycopg.Connection] = connect) -> None:
        self._connect = connect
        self._connection: psycopg.Connection | None = None
        self._news = threading.Condition()
        self._intents: list[_Intent] = []
        self._settled: list[_Settled] = []
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def intend(self, row: Row) -> bool:
        """Commit an intent. Return whether the message may be sent, after the COMMIT.

        Raises IntentLost, and PostgreSQL's error for a row that it refuses.
        """
        intent = _Intent(row)
        with self._news:
            if self._closing:
                raise IntentLost
            self._intents.append(intent)
            self._call()
        intent.done.wait()
        if intent.error is not None:
            raise intent.error
        return intent.held

    def settle(self, row: Row, late: Callable[[], None]) -> None:
        """Settle a message with one of the next groups. Calls `late` if the row is another's by then."""
        with self._news:
            self._settled.append(_Settled(row, late))
            self._call()

    def close(self) -> None:
        """Write the submitted entries, and end."""
        with self._news:
            self._closing = True
            self._news.notify()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._work()
        finally:
            with self._news:
                self._closing = True
                left = self._intents
                self._intents = []
            for intent in left:
                intent.end(error=IntentLost())
            self._drop()

    def _call(self) -> None:
        """Wake the writer when a group begins, and when it is large enough."""
        if len(self._intents) + len(self._settled) == 1 or self._is_enough():
            self._news.notify()

    def _is_enough(self) -> bool:
        return self._closing or 2 * len(self._intents) >= self.connections

    def _work(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._intents or self._settled or self._closing)
                self._news.wait_for(self._is_enough, GATHER)
                intents = self._intents[:MAX_BATCH_ROWS]
                self._intents = self._intents[MAX_BATCH_ROWS:]
                settled = self._settled[:MAX_BATCH_ROWS]
                self._settled = self._settled[MAX_BATCH_ROWS:]
            if not intents and not settled:
                return
            self._commit(intents, settled)

    def _commit(self, intents: list[_Intent], settled: list[_Settled]) -> None:
        """Commit a group. If PostgreSQL refuses it as a whole, each row is tried separately."""
        try:
            held, written = self._write([entry.row for entry in intents], [entry.row for entry in settled])
        except _LOST:
            self._recover(intents, settled)
        except psycopg.Error as error:
            if len(intents) + len(settled) == 1:
                [row] = [*(entry.row for entry in intents), *(done.row for done in settled)]
                log.error("what becomes of message %s could not be written: %s", row["id"], error)
                for entry in intents:
                    entry.end(error=error)
                return  # one that was sent is in doubt: release_lost_claims says so
            for done in settled:
                self._commit([], [done])
            for entry in intents:
                self._commit([entry], [])
        except BaseException as error:
            for entry in intents:
                entry.end(error=error)
            raise
        else:
            self._report(intents, held, settled, written)

    def _report(self, intents: list[_Intent], held: set[str], settled: list[_Settled], written: set[str]) -> None:
        for intent in intents:
            intent.end(held=intent.row["id"] in held)
        for done in settled:
            if done.row["id"] not in written:
                done.late()

    def _write(self, intents: Sequence[Row], settled: Sequence[Row]) -> tuple[set[str], set[str]]:
        """Write rows in one transaction, sent in one message. Returns the ids of the written rows."""
        if self._connection is None or self._connection.closed:
            self._connection = self._connect()
        connection = self._connection
        with connection.pipeline(), connection.transaction():
            cursors = [
                connection.execute(statement, parameters(rows)) if rows else None
                for statement, rows in ((settle(), settled), (INTENT, intents))
            ]
        written, held = ({id for (id,) in cursor} if cursor is not None else set() for cursor in cursors)
        return held, written

    def _recover(self, intents: list[_Intent], settled: list[_Settled]) -> None:
        """Go on after a lost connection: the group may have been committed or not.

        The end of no message of its intents was sent, so those that are `sending` under their lease are approved again.
        What was settled is settled once more, which changes nothing where it had been.
        """
        until = monotonic() + PATIENCE
        lost = [
            {"step": new_id(), **{name: entry.row[name] for name in ("id", "company", "lease")}} for entry in intents
        ]
        while True:
            self._drop()
            try:
                self._connection = self._connect()
                if lost:
                    self._connection.execute(TAKE_BACK, parameters(lost))
                _, written = self._write([], [entry.row for entry in settled])
            except _LOST as error:
                if monotonic() >= until:
                    log.error("the database is away; %s messages are in doubt: %s", len(settled), error)
                    break
                sleep(_PAUSE)
            except psycopg.Error as error:
                log.error("%s messages are in doubt: %s", len(settled), error)
                break
            else:
                self._report([], set(), settled, written)
                break
        for entry in intents:
            entry.end(error=IntentLost())

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
