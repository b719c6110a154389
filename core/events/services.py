"""Writes of events and their deliveries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import orjson
from django.db import connection, transaction
from django.utils import timezone

from core.events.consumers import EventConsumer
from core.events.kinds import EVENT_KINDS, FIRST, number_from
from core.ids import new_id
from core.jobs.notify import notify_workers
from core.jobs.registry import work_by_name
from core.tenancy import company_id
from core.types import JsonObject, Values

# Bounded, so that the JSON text of a statement stays at some megabytes.
WRITE = 5000
"""The number of events in one statement."""

QUEUE = "queue"
"""Mode of `start_mode`, and member of the cause of the events written in it."""

_cause: ContextVar[Values | None] = ContextVar("leadwright_cause", default=None)


def current_cause() -> Values:
    """Return the cause of the present events: workflow, name and depth; empty: no workflow."""
    return _cause.get() or {}


@contextmanager
def event_cause(cause: Values) -> Iterator[None]:
    """Open a block whose events record this cause."""
    token = _cause.set(cause)
    try:
        yield
    finally:
        _cause.reset(token)


_mode: ContextVar[str | None] = ContextVar("leadwright_starts", default=None)


@contextmanager
def start_mode(mode: str | None) -> Iterator[None]:
    """Set the mode in which the block's events start workflows: `run`, or `queue` for after the present events."""
    token = _mode.set(mode)
    try:
        yield
    finally:
        _mode.reset(token)


def requested_queueing() -> bool | None:
    """Return whether events start workflows after the present ones; None if the caller did not choose."""
    return {QUEUE: True, "run": False}.get(_mode.get() or "")


def emit(
    kind: str,
    object_ids: Sequence[str],
    *,
    payloads: Values | None = None,
    actor_id: str | None = None,
    automation: bool = True,
    notify: bool = True,
) -> None:
    """Write one event per object of the active company, and its deliveries, in the caller's transaction. `kind` is one
    of core.events.kinds. An id that is named twice counts once.

    Without `notify` consumers get them at the next tick: a Celery message for each of many small transactions would
    slow their writer down.
    """
    # An event without its change, or a change without its event, would mislead all consumers.
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError(
            "events are written in the transaction of the change that they tell of"
        )
    if kind not in EVENT_KINDS:
        raise ValueError(f"{kind} is no kind of event (core.events.kinds)")
    consumers = [
        consumer
        for consumer in work_by_name(EventConsumer).values()
        if kind in consumer.kinds and (automation or not consumer.automation)
    ]
    cause = _cause.get()
    if requested_queueing():
        cause = {**(cause or {}), QUEUE: True}
    owner = company_id()
    now = timezone.now()
    payloads = payloads or {}
    # One event for each object: its number is drawn once, and a doubled row would violate the upsert.
    object_ids = list(dict.fromkeys(object_ids))
    for start in range(0, len(object_ids), WRITE):
        rows = [
            {"n": n, "e": new_id(), "o": id, "p": payloads.get(id, {}), "d": [new_id() for _ in consumers]}
            for n, id in enumerate(object_ids[start : start + WRITE])
        ]
        values = {"company": owner, "kind": kind, "actor": actor_id, "automation": automation, "now": now}
        _write(rows, consumers, {**values, "cause": None if cause is None else orjson.dumps(cause).decode()})
    if consumers and object_ids and notify:
        notify_workers(EventConsumer.part_of)


_EVENTS = (
    "INSERT INTO core_event"
    " (id, object_id, payload, object_sequence, company_id, kind, actor_id, automation, cause, created_at, updated_at)"
    " SELECT e, o, p, {number}, %(company)s, %(kind)s, %(actor)s, %(automation)s, %(cause)s::jsonb, %(now)s, %(now)s"
    " FROM rows {numbered}"
)
_FIRST = _EVENTS.format(number="1", numbered="")
LATER = _EVENTS.format(number="number", numbered="JOIN numbered ON numbered.object_id = o ORDER BY n")
NUMBERED = (
    "numbered AS (INSERT INTO core_objectsequence AS known (object_id, company_id, number)"
    # In one order, so that two transactions cannot wait for each other.
    " SELECT o, %(company)s, %(from)s FROM rows ORDER BY o"
    " ON CONFLICT (object_id) DO UPDATE SET number = known.number + 1 RETURNING object_id, number)"
)
DELIVERIES = (
    "INSERT INTO core_eventdelivery"
    " (id, consumer, event_id, status, due_at, attempts, error, company_id, created_at, updated_at)"
    " SELECT d ->> (place - 1)::int, consumer, e, 'pending', %(now)s, 0, '', %(company)s, %(now)s, %(now)s"
    " FROM rows, unnest(%(consumers)s::text[]) WITH ORDINALITY AS consumers (consumer, place)"
)


def _write(rows: list[JsonObject], consumers: Sequence[EventConsumer], values: JsonObject) -> None:
    """Insert events (e id, o object, p payload, d ids of the deliveries) and their deliveries in one statement."""
    # One JSON text instead of an array per column: psycopg writes arrays thirty times slower.
    values["rows"] = orjson.dumps(rows, default=str).decode()
    source = (
        "WITH rows AS (SELECT * FROM json_to_recordset(%(rows)s::json)"
        " AS found (n int, e text, o text, p jsonb, d json))"
    )
    events = _FIRST
    # First events need no counter: an object has one event of these kinds, which is its number 1.
    if values["kind"] not in FIRST:
        source, events = f"{source}, {NUMBERED}", LATER
        values["from"] = number_from(values["kind"])
    with connection.cursor() as cursor:
        if not consumers:
            # No consumer takes these kinds: the part for deliveries would only cost planning.
            cursor.execute(f"{source} {events}", values)
            return
        values["consumers"] = [consumer.name for consumer in consumers]
        # The condition is checked in the same statement, so that most events write no delivery at all.
        where = consumer_condition(consumers, "consumer", company="%(company)s", kind="%(kind)s")
        cursor.execute(f"{source}, events AS ({events}) {DELIVERIES} WHERE {where}", values)


def consumer_condition(consumers: Iterable[EventConsumer], column: str, *, company: str, kind: str) -> str:
    """Return the condition, in SQL, that the consumer whose name is in the column gets an event.

    `company` and `kind` are the event's, in SQL too.
    """
    params = {"company": company, "kind": kind}
    return (
        " AND ".join(
            f"({column} <> '{consumer.name}' OR {consumer.where % params})" for consumer in consumers if consumer.where
        )
        or "true"
    )
