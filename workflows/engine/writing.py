"""The engine's writes of runs: one statement per table, for any number of runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from core.ids import as_array, new_id
from core.internals.django import raw_delete
from core.tenancy import company_id
from core.text.json import dumps
from core.types import JsonObject, Values
from outreach.runs.genie.automated import cancel_messages_of, hold_messages_of
from workflows.engine import counters
from workflows.engine.cursor import Cursor
from workflows.engine.limits.models import PlaceNotice
from workflows.engine.models import RunReady, WorkflowRun
from workflows.engine.waits import inbox
from workflows.engine.waits.inbox import Arrival
from workflows.nodes.base import MAX_OUTPUT, is_larger

Status = WorkflowRun.Status
HELD = "held"
"""The place of a run that counts against its workflow's concurrency."""
ENDED = (Status.COMPLETED, Status.FAILED, Status.CANCELLED)

STEPS = """
INSERT INTO workflows_runstep
    (id, company_id, run_id, node, visit, attempt, status, handle, input, output, error, created_at, updated_at)
SELECT id, %(company)s, run, node, visit, attempt, status, handle, input, output, error, %(now)s, %(now)s
FROM json_to_recordset(%(rows)s::json) AS new (id text, run text, node text, visit int, attempt int, status text,
    handle text, input jsonb, output jsonb, error jsonb)
"""
TIMERS = """
INSERT INTO workflows_runtimer (id, company_id, run_id, token, due_at, told, created_at, updated_at)
SELECT id, %(company)s, run, token, due, false, %(now)s, %(now)s
FROM json_to_recordset(%(rows)s::json) AS new (id text, run text, token text, due timestamptz)
ON CONFLICT (run_id, token) DO UPDATE SET due_at = excluded.due_at, told = false, updated_at = excluded.updated_at
"""
"""A node that waits again, since what it waits for was moved, has one timer."""
# seq and epoch fence the write: whatever else has changed the run, this slice must not write over it.
RUNS = """
UPDATE workflows_workflowrun r SET state = new.state, status = new.status, reason = new.reason,
    seq = r.seq + new.steps, contact_id = new.contact, lead_id = new.lead, error_node = new.node,
    error_code = new.code, error = new.message, error_reason = new.error_reason, updated_at = %(now)s,
    started_at = coalesce(r.started_at, %(now)s),
    finished_at = CASE WHEN new.ended THEN %(now)s::timestamptz END,
    solo_key = CASE WHEN new.ended THEN NULL ELSE r.solo_key END,
    place = CASE WHEN new.ended THEN NULL ELSE r.place END
FROM json_to_recordset(%(rows)s::json) AS new (id text, seq int, epoch int, steps int, state jsonb, status text,
    reason text, contact text, lead text, node text, code text, message text, error_reason jsonb, ended boolean)
WHERE r.id = new.id AND r.seq = new.seq AND r.epoch = new.epoch
"""
DELAY = """
UPDATE workflows_workflowrun r SET begins_at = new.at, reason = %(reason)s
FROM json_to_recordset(%(rows)s::json) AS new (id text, at timestamptz) WHERE r.id = new.id
"""
READY = """
INSERT INTO workflows_runready (id, company_id, run_id, priority, created_at, updated_at)
SELECT id, %(company)s, run, priority, %(now)s, %(now)s
FROM json_to_recordset(%(rows)s::json) AS new (id text, run text, priority int)
"""


# JSON and not COPY or arrays: one parameter, typed columns, and row-level security allows it.
def insert(statement: str, rows: Sequence[JsonObject], now: datetime) -> int:
    """Write rows, each with a new id if it has none. Returns the number written."""
    if not rows:
        return 0
    full_rows = [row if "id" in row else {"id": new_id(), **row} for row in rows]
    with connection.cursor() as cursor:
        cursor.execute(statement, {"company": company_id(), "now": now, "rows": dumps(full_rows).decode()})
        row_count: int = cursor.rowcount
    return row_count


def write(cursors: Sequence[Cursor], now: datetime) -> None:
    """Write the results of a slice."""
    results = [(cursor, _row(cursor)) for cursor in cursors]
    ended_runs = [(cursor, row) for cursor, row in results if row["ended"]]
    insert(STEPS, [{"run": cursor.run.pk, **step} for cursor in cursors for step in cursor.steps], now)
    counters.count(cursors, now)
    insert_timers([(cursor.run.pk, token, due_at) for cursor in cursors for token, due_at in cursor.timers], now)
    # It cannot happen under the row locks; if it does, the whole slice is undone rather than half written.
    if insert(RUNS, [row for _, row in results], now) != len(results):
        raise RuntimeError("a run was written by somebody else while its slice held it")
    # Queue runs with a spent budget behind the waiting ones.
    queued_runs = [cursor.run for cursor, row in results if row["status"] == Status.QUEUED]
    insert(READY, [{"run": run.pk, "priority": run.priority} for run in queued_runs], now)
    # A failed run may be resumed, so its waits stay.
    remove_waits([cursor.run.pk for cursor, row in ended_runs if row["status"] != Status.FAILED])
    # In the same transaction: a parent would wait for ever for an end that is never reported.
    _tell_parents(
        [
            (cursor.run.parent, end_payload(cursor.run.pk, row["status"], row["reason"], cursor.state.variables))
            for cursor, row in ended_runs
            if cursor.run.parent
        ]
    )
    notify_places({cursor.run.workflow_id for cursor, _ in ended_runs if cursor.run.place})


def _row(cursor: Cursor) -> JsonObject:
    """Return the row that RUNS writes."""
    result = cursor.result()
    run = cursor.run
    failure = cursor.failure
    return {
        "id": run.pk,
        "seq": run.seq,
        "epoch": run.epoch,
        "steps": len(cursor.steps),
        "state": result.state,
        "status": result.status,
        "reason": result.reason,
        "contact": run.contact_id,
        "lead": run.lead_id,
        "node": failure.node,
        "code": failure.code,
        "message": failure.message,
        "error_reason": None if failure.reason is None else failure.reason.as_json(),
        "ended": result.status in ENDED,
    }


def insert_timers(timers: Sequence[tuple[str, str, datetime]], now: datetime) -> None:
    """Write timers (run, token, due)."""
    insert(TIMERS, [{"run": id, "token": token, "due": due_at} for id, token, due_at in timers], now)


def delay_starts(runs: Sequence[tuple[str, datetime]], reason: str) -> None:
    """Set the start times of queued runs (id, time)."""
    if not runs:
        return
    rows = [{"id": id, "at": at} for id, at in runs]
    with connection.cursor() as cursor:
        cursor.execute(DELAY, {"rows": dumps(rows).decode(), "reason": reason})


def notify_places(workflow_ids: Iterable[str | None]) -> None:
    """Leave a notice that places of the workflows may be free; None: of the company's quota."""
    PlaceNotice.objects.bulk_create(PlaceNotice(workflow_id=id) for id in workflow_ids)


def release_places(runs: QuerySet[WorkflowRun]) -> None:
    """Leave a notice of the places that the runs have, before they end."""
    with_place = runs.filter(place=HELD).order_by()
    notify_places(list(with_place.values_list("workflow_id", flat=True).distinct()))


def notify_ready(runs: Sequence[tuple[str, int]]) -> None:
    """Write a notice for each run (id, priority) that may move."""
    insert(READY, [{"run": id, "priority": priority} for id, priority in runs], timezone.now())


def remove_notices(ids: Sequence[str]) -> None:
    """Remove the notices that a slice has handled."""
    # Without Django's collector, which would read each row first to look for dependants.
    raw_delete(RunReady.objects.filter(pk__in=ids))


def take_due_timers(run_ids: Sequence[str], now: Any) -> list[tuple[datetime, str, str]]:
    """Remove the due timers of the runs. Returns them as (due, run, token)."""
    with connection.cursor() as cursor:
        cursor.execute(
            # Taken and not marked: the slice that wakes the token is the only one that may.
            "DELETE FROM workflows_runtimer WHERE run_id = ANY(%s) AND due_at <= %s RETURNING due_at, run_id, token",
            [as_array(run_ids), now],
        )
        timers: list[tuple[datetime, str, str]] = cursor.fetchall()
    return timers


# Listeners in the order of their ids, in which publishers of events lock them.
CLOSE = """
WITH over AS (SELECT * FROM unnest(%s::text[], %s::text[]) AS place (run, token)
), timers AS (
    DELETE FROM workflows_runtimer t USING over WHERE t.run_id = over.run AND t.token = over.token
), heard AS (
    SELECT l.id FROM workflows_runlistener l JOIN over ON l.run_id = over.run AND l.token = over.token
    ORDER BY l.id FOR UPDATE OF l
), listeners AS (DELETE FROM workflows_runlistener l USING heard WHERE l.id = heard.id
)
UPDATE workflows_runapproval a SET status = 'timeout' FROM over
WHERE a.run_id = over.run AND a.token = over.token AND a.status = 'open'
"""
REMOVE = """
WITH timers AS (DELETE FROM workflows_runtimer WHERE run_id = ANY(%(runs)s)
), inbox AS (DELETE FROM workflows_runinbox WHERE run_id = ANY(%(runs)s)
), heard AS (SELECT id FROM workflows_runlistener WHERE run_id = ANY(%(runs)s) ORDER BY id FOR UPDATE
), listeners AS (DELETE FROM workflows_runlistener l USING heard WHERE l.id = heard.id
), calls AS (
    UPDATE workflows_runcall SET status = 'cancelled', updated_at = %(now)s
    WHERE run_id = ANY(%(runs)s) AND status = 'queued'
)
UPDATE workflows_runapproval SET status = 'cancelled', updated_at = %(now)s
WHERE run_id = ANY(%(runs)s) AND status = 'open'
"""


def close_waits(places: Sequence[tuple[str, str]]) -> None:
    """Remove the other waits of the branches of runs, as (run, token)."""
    if not places:
        return
    with connection.cursor() as cursor:
        cursor.execute(CLOSE, [[run for run, _ in places], [token for _, token in places]])


def end_payload(id: str, status: str, reason: str, variables: Values) -> JsonObject:
    """Return the payload for the parent of a run that has ended."""
    stored_variables = {"truncated": True} if is_larger(variables, MAX_OUTPUT) else variables
    return {"run": id, "status": status, "reason": reason, "vars": stored_variables}


def _tell_parents(runs: Sequence[tuple[Values, JsonObject]]) -> None:
    """Resume the parents of ended runs, as (parent, payload)."""
    inbox.put([Arrival(at["run"], at["token"], at["epoch"], "child", payload) for at, payload in runs])


def remove_waits(run_ids: Sequence[str]) -> None:
    """Remove the waits of the runs."""
    if not run_ids:
        return
    with connection.cursor() as cursor:
        cursor.execute(REMOVE, {"runs": as_array(run_ids), "now": timezone.now()})


def pause(run_ids: Sequence[str], reason: str) -> int:
    """Pause runs that are under way. Their timers stay; their messages that have not gone are held."""
    statuses = (Status.QUEUED, Status.RUNNING, Status.WAITING)
    # Before the runs: a message that goes out after the pause has returned would break its promise.
    hold_messages_of(run_ids)
    paused: int = WorkflowRun.objects.filter(pk__in=run_ids, status__in=statuses).update(
        status=Status.PAUSED, reason=reason, updated_at=timezone.now()
    )
    return paused


def cancel(run_ids: Sequence[str], reason: str) -> int:
    """Cancel runs that have not ended, remove their waits, and cancel their unsent messages."""
    if not run_ids:
        return 0
    now = timezone.now()
    open = WorkflowRun.objects.filter(pk__in=run_ids).exclude(status__in=(Status.COMPLETED, Status.CANCELLED))
    release_places(open)
    # Read before the update, after which the condition no longer finds them.
    parents = list(open.filter(parent__isnull=False).values_list("pk", "parent"))
    done: int = open.update(
        status=Status.CANCELLED, reason=reason, solo_key=None, place=None, finished_at=now, updated_at=now
    )
    remove_waits(run_ids)
    # Claimed ones too: the statement that commits an intent checks their status.
    cancel_messages_of(run_ids)
    _tell_parents([(parent or {}, end_payload(id, Status.CANCELLED, reason, {})) for id, parent in parents])
    return done


def fail_run(run: WorkflowRun, code: str, message: str) -> None:
    """Fail a run that cannot be moved, as it is stored."""
    now = timezone.now()
    release_places(WorkflowRun.objects.filter(pk=run.pk))
    WorkflowRun.objects.filter(pk=run.pk).update(
        place=None,
        status=Status.FAILED,
        reason="error",
        error_code=code,
        error=message,
        error_reason={"field": "", "text": message},
        solo_key=None,
        finished_at=now,
        updated_at=now,
    )
    if run.parent:
        _tell_parents([(run.parent, end_payload(run.pk, Status.FAILED, "error", {}))])
