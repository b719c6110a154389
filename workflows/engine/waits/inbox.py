"""The inbox of runs: arrivals that they have waited for.

Only the slice advances runs. An arrival is the result of a call, an event, a member's response or the end of a child
run. It is written here in the transaction that makes it true, whether the run is held, paused or in a slice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.utils import timezone
from orjson import loads

from core.ids import as_array, new_id
from core.jobs import notify_workers
from core.tenancy import company_id
from core.text.json import dumps
from workflows.engine.models import WORK

# Runs that are just being deleted are waited for, and then they are not there.
PUT = """
WITH rows AS (
    SELECT * FROM json_to_recordset(%(rows)s::json) AS new (id text, ready text, run text, token text, epoch int,
        kind text, payload jsonb)
), runs AS (
    SELECT id, priority FROM workflows_workflowrun WHERE company_id = %(company)s AND id IN (SELECT run FROM rows)
    AND status NOT IN ('completed', 'cancelled')
    ORDER BY id FOR KEY SHARE
), put AS (
    INSERT INTO workflows_runinbox (id, company_id, run_id, token, epoch, kind, payload, created_at, updated_at)
    SELECT rows.id, %(company)s, run, token, epoch, kind, payload, %(now)s, %(now)s
    FROM rows JOIN runs ON runs.id = run
)
INSERT INTO workflows_runready (id, company_id, run_id, priority, created_at, updated_at)
SELECT min(ready), %(company)s, run, min(priority), %(now)s, %(now)s FROM rows JOIN runs ON runs.id = run GROUP BY run
"""


@dataclass(frozen=True, slots=True)
class Arrival:
    """An arrival for a branch of a run: `token` and `epoch` are those of the item and the run at the start of the
    wait."""

    run_id: str
    token: str
    epoch: int
    kind: str
    payload: Any = None


def put(arrivals: Sequence[Arrival]) -> int:
    """Put arrivals for runs of the active company into their inboxes, in the caller's transaction, and notify the
    engine. Returns how many runs get something; those that have ended or are gone get nothing."""
    if not arrivals:
        return 0
    rows = [
        {
            "id": new_id(),
            "ready": new_id(),
            "run": arrival.run_id,
            "token": arrival.token,
            "epoch": arrival.epoch,
            "kind": arrival.kind,
            "payload": arrival.payload,
        }
        for arrival in arrivals
    ]
    with connection.cursor() as cursor:
        cursor.execute(PUT, {"rows": dumps(rows).decode(), "company": company_id(), "now": timezone.now()})
        number: int = cursor.rowcount
    # Only to be quick: the notice's row is what counts, and the tick finds it.
    notify_workers(WORK)
    return number


def pop(run_ids: Sequence[str]) -> list[tuple[datetime, str, str, int, str, Any]]:
    """Remove what is there for the runs. Returns it as (since when, run, token, epoch, kind, payload)."""
    with connection.cursor() as cursor:
        cursor.execute(
            # In the slice's transaction: a rollback brings the arrivals back.
            "DELETE FROM workflows_runinbox WHERE run_id = ANY(%s)"
            " RETURNING created_at, run_id, token, epoch, kind, payload",
            [as_array(run_ids)],
        )
        return [(*place, None if text is None else loads(text)) for *place, text in cursor.fetchall()]
