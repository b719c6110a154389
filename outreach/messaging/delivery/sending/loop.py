"""The loop of a sending process: senders take turns, each with some connections, and all share one writer.

Connections are threads that talk to mail servers and vendors. The process's main thread records the outcomes of
messages for them, one after the other; intents, and sent messages, go to the writer. A connection itself only reads
renewed log-ins and files in a bucket. No transaction is open during network calls.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Thread, get_ident
from time import monotonic
from typing import Any, Protocol

import psycopg
from django.db import DatabaseError, connections

from core.jobs import LeaseLost
from core.tenancy import company_scope
from outreach.connections.senders.models import Smtp
from outreach.connections.smtp.message import InvalidMail
from outreach.connections.smtp.transport import Sent, SmtpError, Uncertain
from outreach.messaging.delivery.attachments import AttachmentMissing, AttachmentUnavailable
from outreach.messaging.delivery.deciding.context import SendContext
from outreach.messaging.delivery.limits.pauses import pause, pause_after_failure, reset_failures
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.senders import AnySession, find_sender, opener
from outreach.messaging.delivery.sending.claims import LOOKAHEAD, claim, due_senders, release_claim, release_lost_claims
from outreach.messaging.delivery.sending.intents import Row, settle_parameters
from outreach.messaging.delivery.sending.parts import parts_of
from outreach.messaging.delivery.sending.turns import LOW, SenderSession, release_slot, take_slot
from outreach.messaging.delivery.sending.worker import (
    IntentRefused,
    SenderLimited,
    SenderStopped,
    deliver,
    record_late,
    record_not_begun,
    record_outcome,
)
from outreach.messaging.delivery.sending.writer import IntentLost, Writer

log = logging.getLogger(__name__)

CONNECTIONS = 32
"""Connections of a sending process."""
SENDERS_A_ROUND = 50
SECONDS_A_SENDER = 5.0
"""Seconds that a sender is served while others wait."""
MAX_WAIT = 240.0
"""Seconds after its deadline that a process continues for slow servers: the maximum time of one message."""
_LOOK_AGAIN = 0.5
"""Seconds between searches for further senders during sending. At the end of a turn it searches at once."""
_WAIT = 0.1
"""Seconds for which it waits for connections that want something."""


class Ledger(Protocol):
    """The receiver of intents and sent messages."""

    connections: int
    """Present number of connections that use it."""

    def intend(self, row: Row) -> bool: ...
    def settle(self, row: Row, late: Callable[[], None]) -> None: ...
    def close(self) -> None: ...


def _start(work: Callable[[], None]) -> None:
    def run() -> None:
        try:
            work()
        finally:
            # Django keeps connections by thread and never closes those of an ended thread.
            connections.close_all()

    # A process that was asked to end must not wait for a mail server that says nothing.
    Thread(target=run, name="connection", daemon=True).start()


def drain(deadline: float) -> None:
    """Send due messages until none is left or the deadline (monotonic) passes."""
    # Before anything is claimed: what an error left claimed by this process is found by nobody else while it
    # lives.
    release_lost_claims()
    # A writer costs a thread and a connection, which an idle tick must not pay.
    if due_senders(1):
        _new().drain(deadline)


def _new() -> SendingLoop:
    return SendingLoop(Writer(), CONNECTIONS, _start)


class SendingLoop:
    """The turns that a process serves at present."""

    def __init__(self, ledger: Ledger, connections: int, start: Callable[[Callable[[], None]], None]) -> None:
        self._ledger = ledger
        self._free = connections
        self._start = start
        self._main = get_ident()
        self._asked: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._turns: dict[str, SenderSession] = {}
        self._begun = 0
        self._looked_at = float("-inf")
        self._error: BaseException | None = None

    def drain(self, deadline: float) -> None:
        """Serve senders until nothing is due or the deadline passes. Raises the database's error.

        While slow servers delay it after the deadline, others continue to be served: no sender waits for another one's
        server.
        """
        # Messages in progress are not cut off: each one that is would be uncertain.
        last = deadline + MAX_WAIT
        try:
            self._serve_senders(deadline)
            while self._end_turns(_LOOK_AGAIN) and self._error is None and monotonic() < last:
                self._serve_senders(monotonic() + SECONDS_A_SENDER)
        finally:
            # The order matters: connections first, for they still submit; then the writer; then what it asked
            # for at last.
            self._end_turns()
            self._ledger.close()
            while not self._asked.empty():
                self._answer(0)
        if self._error is not None:
            raise self._error

    # In the main thread: the turns

    def _serve_senders(self, deadline: float) -> None:
        while self._error is None and monotonic() < deadline:
            begun = self._begun
            self._begin_turns(deadline)
            # Nothing begun and nothing running means that nothing is due, so the process ends and the tick
            # starts it again.
            if self._turns:
                self._answer(_WAIT)
            elif self._begun == begun:
                return

    def _end_turns(self, seconds: float = math.inf) -> bool:
        """Stop sending further messages, and wait this long for those in progress. Return whether some are left."""
        for turn in self._turns.values():
            turn.end()
        until = monotonic() + seconds
        while self._turns and monotonic() < until:
            self._answer(_WAIT)
        return bool(self._turns)

    def _begin_turns(self, deadline: float) -> None:
        """Begin turns of senders with due messages, if there are connections for them."""
        # The search goes over all companies, so it is not repeated for each message.
        if not self._free or (self._turns and monotonic() < self._looked_at + _LOOK_AGAIN):
            return
        self._looked_at = monotonic()
        for sender_id, company in due_senders(SENDERS_A_ROUND):
            if self._free and sender_id not in self._turns and monotonic() < deadline:
                # The list came from all companies. Whatever a turn reads is read as its company alone.
                with company_scope(company):
                    self._begin_turn(sender_id, deadline)

    def _begin_turn(self, sender_id: str, deadline: float) -> None:
        sender = find_sender(sender_id)
        # It may have been deleted since it was listed.
        if sender is None:
            return
        slots: list[int] = []
        # Without a slot, other processes use all connections that its server allows.
        if not take_slot(sender, slots):
            return
        # Turns have an end, so that a sender with a million messages does not keep others waiting.
        ends = min(deadline, monotonic() + SECONDS_A_SENDER)
        try:
            turn = SenderSession(sender, opener(sender), parts_of(sender), SendContext.load(), ends, slots)
        except Exception:
            # The lock ends with a broken session anyway, and the first error is the one to raise.
            with suppress(DatabaseError):
                release_slot(sender, slots)
            raise
        self._turns[sender_id] = turn
        try:
            self._claim_more(turn)
        finally:
            # All of its messages may have to wait; no thread would end such a turn.
            if not turn.connections and sender_id in self._turns:
                self._finish(turn)

    def _claim_more(self, turn: SenderSession) -> None:
        """Claim further messages when few are left, and open as many connections as they are worth."""
        limit = turn.capacity
        while turn.is_on and turn.has_more and len(turn.jobs) <= LOW:
            claimed = claim(turn.sender.pk, limit, turn.lease, turn.context)
            turn.parts.prepare(claimed.jobs)
            turn.jobs.extend(claimed.jobs)
            turn.has_more = claimed.examined >= limit
            # None of those examined may go now. They got a later time, so the next claim sees others.
            if claimed.jobs or not claimed.examined:
                break
            limit = LOOKAHEAD
        while self._free and turn.is_on and turn.connections < turn.connections_needed:
            if turn.connections == len(turn.slots) and not take_slot(turn.sender, turn.slots):
                break
            self._free -= 1
            # The writer waits for half of the connections, so it has to count them before they submit
            # anything.
            self._ledger.connections += 1
            self._begun += 1
            turn.connections += 1
            self._start(partial(self._serve, turn))

    def _on_connection_closed(self, turn: SenderSession) -> None:
        """Handle the end of a connection. The last one ends the turn."""
        self._free += 1
        self._ledger.connections -= 1
        turn.connections -= 1
        if turn.connections:
            release_slot(turn.sender, turn.slots)
        else:
            self._finish(turn)

    def _finish(self, turn: SenderSession) -> None:
        turn.end()
        del self._turns[turn.sender.pk]
        # A free place is filled at once; the pause between searches is for times without one.
        self._looked_at = float("-inf")
        # release_lost_claims or the sweeper finds what cannot be released now; locks end with a broken connection.
        with suppress(DatabaseError):
            release_claim(turn.lease)
        with suppress(DatabaseError):
            while turn.slots:
                release_slot(turn.sender, turn.slots)
        # One accepted message shows that server and login work, so the backoff begins from the start again.
        if turn.sent:
            reset_failures(turn.sender)
        if isinstance(turn.failure, SenderLimited):
            pause(turn.sender, "vendor_limit", turn.failure.seconds, turn.failure.detail)
        elif isinstance(turn.failure, SmtpError):
            # A vendor's refused token is final until somebody logs in again. SMTP servers refuse logins for a
            # while, too.
            refused = not isinstance(turn.sender, Smtp) and turn.failure.stage == "auth"
            pause_after_failure(sender=turn.sender, detail=turn.failure.detail, refused=refused)

    def _answer(self, seconds: float) -> None:
        """Run a connection's request, or wait this long for one."""
        try:
            callback = self._asked.get(timeout=seconds) if seconds else self._asked.get_nowait()
        except Empty:
            return
        callback()

    # In the threads of connections

    def _serve(self, turn: SenderSession) -> None:
        """Deliver a turn's messages in one session."""
        session: AnySession | None = None
        try:
            with company_scope(turn.company):
                # The session is opened for the first message, for a turn may have none left for this thread.
                while (job := self._next(turn)) is not None:
                    session = session or turn.open()
                    self._deliver_one(turn, session, job)
        except (SmtpError, SenderLimited) as error:
            turn.end(error)
        except SenderStopped:
            log.warning("the guardrail of sender %s has stopped it", turn.sender.pk)
            turn.end()
        # The database is away. Its messages were taken back, or the sweeper finds them; going on would only
        # repeat it.
        except IntentLost:
            turn.end()
        except Exception as error:  # noqa: BLE001  the edge of one connection: the main thread raises it again
            self._error = self._error or error
            turn.end()
        finally:
            if session is not None:
                session.close()
            # Always, or the count of free connections would shrink with each error.
            self._post_to_main(turn, partial(self._on_connection_closed, turn))

    def _next(self, turn: SenderSession) -> SendJob | None:
        job = turn.next()
        # The connection has nothing to do, so it waits for the claim. At LOW it only gives notice of it and
        # works on.
        if job is None and turn.is_on and turn.has_more:
            self._call_on_main(turn, partial(self._claim_more, turn))
            return turn.next()
        if len(turn.jobs) == LOW and turn.has_more:
            self._post_to_main(turn, partial(self._claim_more, turn))
        return job

    def _deliver_one(self, turn: SenderSession, session: AnySession, job: SendJob) -> None:
        """Deliver one message, and have the outcome recorded."""
        try:
            outcome = deliver(session, job, turn.parts, self._ledger.intend)
        except (InvalidMail, AttachmentMissing, AttachmentUnavailable, IntentRefused, psycopg.Error) as error:
            self._record(turn, partial(record_not_begun, job, error))
            return
        except BaseException:
            # The intent is committed, and the end may be sent or not: uncertain, and not taken back.
            if job.status == SendJob.Status.SENDING:
                stopped = Uncertain("the worker was stopped while the server had the message")
                self._record(turn, partial(record_outcome, job, stopped))
            raise
        if isinstance(outcome, Sent):
            turn.sent += 1
            # The time of acceptance is taken here, before the group waits for its commit.
            row = settle_parameters(job, outcome)
            late = partial(self._record, turn, partial(record_late, job, row))
            self._ledger.settle(row, partial(self._post_to_main, turn, late))
        else:
            self._record(turn, partial(record_outcome, job, outcome))

    def _record(self, turn: SenderSession, record: Callable[[], Any]) -> None:
        try:
            self._call_on_main(turn, record)
        # The lease is lost: another worker owns the message, so write nothing and repeat nothing.
        except LeaseLost as lost:
            log.warning("message %s was taken over by another worker", lost)

    def _call_on_main(self, turn: SenderSession, what: Callable[[], Any]) -> None:
        """Run a function on the main thread in the turn's company, and wait for it. Raises its exception."""
        # It would wait for itself for ever.
        if get_ident() == self._main:
            with company_scope(turn.company):
                what()
            return
        done, raised = Event(), list[BaseException]()

        def do() -> None:
            try:
                with company_scope(turn.company):
                    what()
            except BaseException as error:  # noqa: BLE001  it is raised where it was asked for
                raised.append(error)
            done.set()

        self._asked.put(do)
        done.wait()
        if raised:
            raise raised[0]

    def _post_to_main(self, turn: SenderSession, what: Callable[[], Any]) -> None:
        """Queue a function for the main thread in the turn's company."""

        def do() -> None:
            try:
                with company_scope(turn.company):
                    what()
            except Exception as error:  # noqa: BLE001  the main thread raises it when all connections have ended
                self._error = self._error or error
                turn.end()

        if get_ident() == self._main:
            do()
        else:
            self._asked.put(do)
