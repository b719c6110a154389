"""What the engine writes of runs: one statement per table, however many runs there are."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection
from django.utils import timezone

from core.ids import new_id
from core.tenancy import company_id
from core.text.json import dumps
from workflows.engine import counting
from workflows.engine.cursor import Cursor
from workflows.engine.models import RunReady, RunTimer, WorkflowRun

Status = WorkflowRun.Status
ENDED = (Status.COMPLETED, Status.FAILED, Status.CANCELLED)

STEPS = """
INSERT INTO workflows_runstep
    (id, company_id, run_id, node, visit, attempt, status, handle, output, error, created_at, updated_at)
SELECT id, %(company)s, run, node, visit, attempt, status, handle, output, error, %(now)s, %(now)s
FROM json_to_recordset(%(rows)s::json) AS new (id text, run text, node text, visit int, attempt int, status text,
    handle text, output jsonb, error jsonb)
"""
TIMERS = """
INSERT INTO workflows_runtimer (id, company_id, run_id, token, due_at, told, created_at, updated_at)
SELECT id, %(company)s, run, token, due, false, %(now)s, %(now)s
FROM json_to_recordset(%(rows)s::json) AS new (id text, run text, token text, due timestamptz)
"""
RUNS = """
UPDATE workflows_workflowrun r SET state = new.state, status = new.status, reason = new.reason,
    seq = r.seq + new.steps, contact_id = new.contact, lead_id = new.lead, error_node = new.node,
    error_code = new.code, error = new.message, updated_at = %(now)s,
    started_at = coalesce(r.started_at, %(now)s),
    finished_at = CASE WHEN new.ended THEN %(now)s::timestamptz END,
    solo_key = CASE WHEN new.ended THEN NULL ELSE r.solo_key END
FROM json_to_recordset(%(rows)s::json) AS new (id text, seq int, epoch int, steps int, state jsonb, status text,
    reason text, contact text, lead text, node text, code text, message text, ended boolean)
WHERE r.id = new.id AND r.seq = new.seq AND r.epoch = new.epoch
"""
READY = """
INSERT INTO workflows_runready (id, company_id, run_id, priority, created_at, updated_at)
SELECT id, %(company)s, run, priority, %(now)s, %(now)s
FROM json_to_recordset(%(rows)s::json) AS new (id text, run text, priority int)
"""


def _insert(statement: str, rows: Sequence[dict[str, Any]], now: datetime) -> int:
    """Write rows, each with a new id if it has none. Returns the number written."""
    if not rows:
        return 0
    told = [row if "id" in row else {"id": new_id(), **row} for row in rows]
    with connection.cursor() as cursor:
        cursor.execute(statement, {"company": company_id(), "now": now, "rows": dumps(told).decode()})
        return cursor.rowcount


def write(cursors: Sequence[Cursor], now: datetime) -> None:
    """Write what a slice has done."""
    rows, again, over = [], [], []
    for cursor in cursors:
        status, reason = cursor.status
        run = cursor.run
        node, code, message = cursor.error
        ended = status in ENDED
        rows.append(
            {
                "id": run.pk,
                "seq": run.seq,
                "epoch": run.epoch,
                "steps": len(cursor.steps),
                "state": cursor.state,
                "status": status,
                "reason": reason,
                "contact": run.contact_id,
                "lead": run.lead_id,
                "node": node,
                "code": code,
                "message": message,
                "ended": ended,
            }
        )
        if ended and status != Status.FAILED:
            over.append(run.pk)
        elif status == Status.QUEUED:
            again.append({"run": run.pk, "priority": run.priority})
    _insert(STEPS, [{"run": cursor.run.pk, **step} for cursor in cursors for step in cursor.steps], now)
    counting.count(cursors, now)
    _insert(
        TIMERS,
        [{"run": cursor.run.pk, "token": token, "due": due} for cursor in cursors for token, due in cursor.timers],
        now,
    )
    if _insert(RUNS, rows, now) != len(rows):
        raise RuntimeError("a run was written by somebody else while its slice held it")
    _insert(READY, again, now)
    if over:
        RunTimer.objects.filter(run__in=over)._raw_delete("default")


def notify_ready(runs: Sequence[tuple[str, int]]) -> None:
    """Write a notice for each run (id, priority) that may move."""
    _insert(READY, [{"run": id, "priority": priority} for id, priority in runs], timezone.now())


def remove_notices(ids: Sequence[str]) -> None:
    """Remove the notices that a slice has handled."""
    RunReady.objects.filter(pk__in=ids)._raw_delete("default")


def take_due_timers(run_ids: Sequence[str], now: Any) -> list[tuple[str, str]]:
    """Remove the due timers of the runs. Returns them as (run, token), the first due first."""
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM workflows_runtimer WHERE run_id = ANY(%s) AND due_at <= %s RETURNING due_at, run_id, token",
            [list(run_ids), now],
        )
        return [(run_id, token) for _, run_id, token in sorted(cursor.fetchall())]


def pause(run_ids: Sequence[str], reason: str) -> int:
    """Pause runs that are under way. Their timers stay."""
    going = (Status.QUEUED, Status.RUNNING, Status.WAITING)
    return WorkflowRun.objects.filter(pk__in=run_ids, status__in=going).update(
        status=Status.PAUSED, reason=reason, updated_at=timezone.now()
    )


def cancel(run_ids: Sequence[str], reason: str) -> int:
    """Cancel runs that have not ended, and remove their timers."""
    if not run_ids:
        return 0
    now = timezone.now()
    open = WorkflowRun.objects.filter(pk__in=run_ids).exclude(status__in=(Status.COMPLETED, Status.CANCELLED))
    done: int = open.update(status=Status.CANCELLED, reason=reason, solo_key=None, finished_at=now, updated_at=now)
    RunTimer.objects.filter(run__in=run_ids)._raw_delete("default")
    return done


def fail_run(run: WorkflowRun, code: str, message: str) -> None:
    """Fail a run that cannot be moved, as it is stored."""
    now = timezone.now()
    WorkflowRun.objects.filter(pk=run.pk).update(
        status=Status.FAILED,
        reason="error",
        error_code=code,
        error=message,
        solo_key=None,
        finished_at=now,
        updated_at=now,
    )
