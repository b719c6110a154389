"""Outward calls: claimed, made by threads outside of any transaction, and answered into the inbox of their run.

That a call is made is committed before it: its row is sending, under a lease. What a dead worker leaves is made again
where the call has a key, and unknown where it has none (docs/decisions/0020-workflow-engine.md).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from itertools import chain, zip_longest
from math import inf
from time import monotonic
from typing import Any, Literal

from django.db import connection, transaction
from django.utils import timezone

from core.ids import new_id
from core.jobs.flights import Flights
from core.jobs.liveness import worker_number
from core.tenancy import company_scope, unscoped
from core.types import JsonObject
from workflows.engine import locks
from workflows.engine.models import RunCall, WorkflowRun
from workflows.engine.waits import inbox
from workflows.engine.waits.inbox import Arrival
from workflows.graphs.models import Workflow
from workflows.nodes.registry import NODE_TYPES
from workflows.nodes.requests import CallResult, CallToMake

log = logging.getLogger(__name__)

MAX_CALLS = 40
"""Calls that one process makes at the same time."""
OF_COMPANY, OF_HOST = 20, 5
"""The most calls of a company at the same time, and of a company to one host."""
FEW = 8
"""So many calls of a company may take the last OF_COMPANY threads of a process: none fills it alone."""
PAIRS = 200
"""Number of (company, host) pairs that a claim covers; the next claim continues after them."""
HELD = timedelta(seconds=5)
"""Delay before a call of a held run is checked again."""
CLAIMS = 0x6C77_0016
"""The advisory lock under which calls are claimed, so that concurrent claims stay within the limits."""
Status = RunCall.Status
SENDING = (Status.SENDING, Status.SENDING_ONCE)
ACTIVE_STATUSES = (WorkflowRun.Status.QUEUED, WorkflowRun.Status.RUNNING, WorkflowRun.Status.WAITING)
RESTING = (WorkflowRun.Status.PAUSED, WorkflowRun.Status.FAILED)
_held: set[str] = set()
"""Leases that this process uses."""
_last = ("", "")
"""The company and host that this process has handled last."""

# Pairs of company and host are walked by the index: one company with a million calls costs as much as one
# with ten.
DUE = """
WITH RECURSIVE pairs AS (
    (SELECT company_id, host FROM workflows_runcall
     WHERE status = 'queued' AND (company_id, host) > (%(company)s, %(host)s)
     ORDER BY company_id, host LIMIT 1)
    UNION ALL
    SELECT after.company_id, after.host FROM pairs, LATERAL (
        SELECT company_id, host FROM workflows_runcall r
        WHERE status = 'queued' AND (r.company_id, r.host) > (pairs.company_id, pairs.host)
        ORDER BY company_id, host LIMIT 1
    ) AS after
), looked AS (SELECT * FROM pairs LIMIT %(pairs)s), sending AS (
    SELECT company_id, host, count(*) AS number FROM workflows_runcall WHERE status IN ('sending', 'sending_once')
    GROUP BY company_id, host
), ready AS (
    SELECT due.id, looked.company_id, due.due_at, coalesce(company.number, 0) AS number FROM looked
    LEFT JOIN sending ON sending.company_id = looked.company_id AND sending.host = looked.host
    LEFT JOIN (SELECT company_id, sum(number) AS number FROM sending GROUP BY company_id) AS company
        ON company.company_id = looked.company_id
    CROSS JOIN LATERAL (
        SELECT id, due_at FROM workflows_runcall r
        WHERE status = 'queued' AND r.company_id = looked.company_id AND r.host = looked.host AND due_at <= %(now)s
        ORDER BY due_at, id LIMIT greatest(0, %(of_host)s - coalesce(sending.number, 0))
    ) AS due
)
SELECT company_id, id, place FROM (
    SELECT *, number + row_number() OVER (PARTITION BY company_id ORDER BY due_at, id) AS place FROM ready
) AS placed WHERE place <= %(of_company)s ORDER BY company_id, place
"""


def drain(deadline: float) -> None:
    """Make due calls until none is left or monotonic() passes the deadline. Open calls then end on their own."""
    _release_lost()
    while monotonic() < deadline:
        calls = _claim(MAX_CALLS - len(flights)) if len(flights) < MAX_CALLS else []
        if len(calls) == 1 and not flights.calls and deadline == inf:  # who waits for its end needs no thread
            _end(calls[0], _make(calls[0]))
            continue
        for call in calls:
            flights.begin(call)
        if not flights.calls:
            return
        flights.land(0.2)
    flights.release()


def _end(call: RunCall, outcome: CallResult) -> None:
    try:
        _record(call, outcome)
    finally:  # what could not be recorded is seen to by the next drain
        _held.discard(str(call.lease))


def _claim(most: int) -> list[RunCall]:
    """Claim up to so many due calls that their runs still want, and commit that they are being made."""
    with unscoped(reason="workflow calls of all companies"), transaction.atomic():
        # Under the lock of claims until the commit: the limits count rows, which two processes would count
        # alike.
        ids = _due_calls(most)
        if not ids:
            return []
        facts = RunCall.objects.filter(pk__in=ids).values_list("run_id", "run__workflow_id")
        runs_of = dict(facts)
        # As slices do: a change that locks the workflow waits for this, and finds no begun call afterwards.
        locks.lock_shared(runs_of.values())
        # A run that a slice is moving right now is asked again shortly after.
        runs = WorkflowRun.objects.filter(pk__in=runs_of).select_for_update(no_key=True, skip_locked=True, of=("self",))
        locked = {run.pk: run for run in runs.order_by("pk")}
        calls = RunCall.objects.filter(pk__in=ids, run__in=locked, status=Status.QUEUED).order_by("due_at", "pk")
        workflows = Workflow.objects.in_bulk(set(runs_of.values()))
        number = worker_number()
        now = timezone.now()
        claimed = []
        rested = []
        dropped = []
        for call in calls.select_for_update(of=("self",), skip_locked=True):
            run = locked[call.run_id]
            # The run no longer waits for this call.
            if run.epoch != call.epoch or run.status not in (*ACTIVE_STATUSES, *RESTING):
                dropped.append(call.pk)
            elif _is_held(run, workflows[run.workflow_id]):
                rested.append(call.pk)
            else:
                call.lease = new_id()
                call.worker = number
                # The status decides what the sweeper does if this process dies: repeat it, or call it
                # unknown.
                call.status = Status.SENDING if call.keyed else Status.SENDING_ONCE
                call.attempts = call.attempts + 1
                call.updated_at = now
                claimed.append(call)
        RunCall.objects.filter(pk__in=dropped).update(status=Status.CANCELLED, updated_at=now)
        RunCall.objects.filter(pk__in=rested).update(due_at=now + HELD)
        RunCall.objects.bulk_update(claimed, ["lease", "worker", "status", "attempts", "updated_at"])
        # Before the commit, so that _release_lost() of another thread never takes them for lost.
        _held.update(str(call.lease) for call in claimed)
    return claimed


def _due_calls(most: int) -> list[str]:
    """Return the ids of due calls within the limits, one company after the other, under the lock of claims.

    `most` threads are free.
    """
    global _last
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [CLAIMS])
        rows: list[tuple[str, str, int]] = []
        # From the last pair on, then once from the beginning.
        for after in dict.fromkeys((_last, ("", ""))):
            params: JsonObject = {"company": after[0], "host": after[1], "pairs": PAIRS, "now": timezone.now()}
            cursor.execute(DUE, {**params, "of_host": OF_HOST, "of_company": OF_COMPANY})
            rows = cursor.fetchall()
            if rows:
                break
    groups: dict[str, list[tuple[str, int]]] = {}
    for company, id, place in rows:
        groups.setdefault(company, []).append((id, place))
    _last = (max(groups), "") if len(groups) > 1 else ("", "")
    # One call of each company in turn.
    turns = [turn for turn in chain.from_iterable(zip_longest(*groups.values())) if turn is not None]
    call_ids: list[str] = []
    for id, place in turns:
        # The last threads are kept for companies that have few calls out.
        if len(call_ids) < most and (place <= FEW or most - len(call_ids) > OF_COMPANY):
            call_ids.append(id)
    return call_ids


def _is_held(run: WorkflowRun, workflow: Workflow) -> bool:
    published = workflow.status == Workflow.Status.PUBLISHED and not workflow.is_deleted
    return run.status in RESTING or not published or run.hold_no < workflow.hold_no


def _make(call: RunCall) -> CallResult:
    """Run a call in its company. An unexpected exception makes its outcome unknown, unless the call has a key."""
    make = NODE_TYPES[call.kind].call if call.kind in NODE_TYPES else None
    if make is None:
        return CallResult("failed", code="unknownType", text=f"there is no node type {call.kind}", permanent=True)
    # No transaction is open: the other server may take a minute.
    with company_scope(call.company_id):
        try:
            return make(CallToMake(call.pk, call.key, call.keyed, call.request))
        except Exception as error:  # the edge of a call: its node's policy (on_error) decides
            log.exception("call %s failed", call.pk)
            # With a key the repetition is recognized by the server; without one it is unknown.
            status = "failed" if call.keyed else "unknown"
            return CallResult(status, code="internal", text=f"{type(error).__name__}: the call broke off")  # type: ignore[arg-type]


flights = Flights("call", _make, _end)


def _record(call: RunCall, outcome: CallResult) -> None:
    """Record the result of a call and resume its run; only record it if the sweeper has failed the call."""
    answer = outcome.as_json()
    with company_scope(call.company_id), transaction.atomic():
        values = {"response": answer, "finished_at": timezone.now(), "updated_at": timezone.now()}
        error = "" if outcome.status == "done" else f"{outcome.code}: {outcome.message}"[:2000]
        # The run before its call, in which order deletions lock them as well.
        locks.keep_runs([call.run_id])
        rows = RunCall.objects.filter(pk=call.pk, lease=call.lease, status__in=SENDING)
        # The lease decides: a call that the sweeper has given up keeps that result, and the answer is shown
        # as late.
        if rows.update(status=outcome.status, error=error, lease=None, worker=None, deaths=0, **values):
            _deliver_answers([RunCall.objects.get(pk=call.pk)])
        else:
            RunCall.objects.filter(pk=call.pk, status=Status.UNKNOWN).update(late=True, **values)


def _deliver_answers(calls: Sequence[RunCall]) -> None:
    """Put the answers of ended calls of the active company into the inboxes of their runs."""
    inbox.put([Arrival(call.run_id, call.token, call.epoch, "call", call.response) for call in calls])


def report_abandoned_calls(rows: Sequence[tuple[str, Any]]) -> None:
    """Resume the runs of calls whose worker has died and that are not retried, in the sweeper's transaction."""
    given_up = RunCall.objects.filter(pk__in=[id for id, _ in rows], status__in=(Status.UNKNOWN, Status.FAILED))
    for call in given_up.order_by("pk"):
        with company_scope(call.company_id):
            unknown = call.status == Status.UNKNOWN
            text = "the worker died while it made the call; nobody knows whether it was made" if unknown else call.error
            status: Literal["failed", "unknown"] = "unknown" if unknown else "failed"
            code = "unknown" if unknown else "poisoned"
            call.response = CallResult(status, code=code, text=text).as_json()
            call.error = text
            call.finished_at = timezone.now()
            call.save(update_fields=["response", "error", "finished_at", "updated_at"])
            _deliver_answers([call])


def _release_lost() -> None:
    """Give up calls that this process lost by an error. The sweeper handles calls of dead processes."""
    with unscoped(reason="workflow calls that this process claimed and lost"), transaction.atomic():
        # Calls that threads of this process still make are not lost.
        mine = RunCall.objects.filter(status__in=SENDING, worker=worker_number()).exclude(lease__in=list(_held))
        call_rows = list(mine.select_for_update(of=("self",)).values_list("pk", "company_id", "status"))
        for held, status in RunCall.claim_policy.orphans.items():
            rows = [(id, company) for id, company, now in call_rows if now == held]
            RunCall.objects.filter(pk__in=[id for id, _ in rows]).update(status=status, lease=None, worker=None)
            report_abandoned_calls(rows)
