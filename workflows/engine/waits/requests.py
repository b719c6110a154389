"""Requests of nodes, written in the slice's transaction: one statement per kind and table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from orjson import loads

from accounts.models import Member
from accounts.notifications.services import remember
from core.ids import new_id
from core.jobs import notify_workers
from core.tenancy import company_id
from core.text.json import dumps, format_iso
from core.types import JsonObject
from workflows.engine import locks, writing
from workflows.engine.cursor import Cursor
from workflows.engine.models import CALLS, RunApproval, RunListener, WorkflowRun
from workflows.engine.plans import plan_of
from workflows.engine.starts import Entry, start_runs
from workflows.engine.waits import inbox, listening
from workflows.engine.waits.inbox import Arrival
from workflows.engine.waits.inputs import hidden_inputs, reads_given
from workflows.graphs.models import Workflow
from workflows.graphs.plan import Node
from workflows.nodes.requests import Ask, Call, Listen, Question, StartRun

# Answered calls of the same effect are reused, and so are uncertain ones unless they may be repeated. Calls that are
# out or still wait are bound to the new place.
KEPT = """(old.status IN ('sending', 'sending_once', 'done')
    OR (old.status = 'unknown' AND old.key <> ALL(%(again)s)))"""
OPEN_CALLS = """
INSERT INTO workflows_runcall AS old (id, company_id, run_id, key, node, token, epoch, kind, host, keyed, status,
    request, late, due_at, attempts, deaths, error, created_at, updated_at)
SELECT id, %(company)s, run, key, node, token, epoch, kind, host, keyed, 'queued', request, false, %(now)s, 0, 0, '',
    %(now)s, %(now)s
FROM json_to_recordset(%(rows)s::json) AS new (id text, run text, key text, node text, token text, epoch int, kind text,
    host text, keyed boolean, request jsonb)
ON CONFLICT (run_id, key) DO UPDATE SET token = excluded.token, epoch = excluded.epoch, updated_at = %(now)s,
    status = CASE WHEN <kept> THEN old.status ELSE 'queued' END,
    request = CASE WHEN <kept> THEN old.request ELSE excluded.request END,
    host = CASE WHEN <kept> THEN old.host ELSE excluded.host END,
    keyed = CASE WHEN <kept> THEN old.keyed ELSE excluded.keyed END,
    late = old.late AND <kept>, due_at = %(now)s
RETURNING run_id, token, epoch, CASE WHEN status IN ('done', 'unknown') THEN response::text END
""".replace("<kept>", KEPT)


@dataclass(frozen=True, eq=False)
class NodeRequest:
    """The request of a branch of a run, and the key of the effect."""

    cursor: Cursor
    token: str
    node: Node
    key: str
    ask: Any

    @property
    def place(self) -> JsonObject:
        """Return the destination of the response."""
        return {"run": self.cursor.run.pk, "token": self.token, "epoch": self.cursor.run.epoch, "node": self.node.id}


def open_asks(cursors: Sequence[Cursor], now: datetime) -> None:
    """Write the requests of the runs in this slice, unless they have ended since."""
    requests = [
        NodeRequest(cursor, token, node, key, ask)
        for cursor in cursors
        if cursor.ended is None
        for token, node, key, ask in cursor.requests
    ]
    for kind, write in OPENERS.items():
        matches = [request for request in requests if isinstance(request.ask, kind)]
        if matches:
            write(matches, now)


def _open_calls(requests: Sequence[NodeRequest], now: datetime) -> None:
    rows = [
        {
            "id": new_id(),
            **request.place,
            "key": request.key,
            "kind": request.ask.kind,
            "host": request.ask.host,
            "keyed": request.ask.keyed,
            "request": request.ask.request,
        }
        for request in requests
    ]
    # Calls that may be made twice without harm are not read back as unknown.
    repeatable = [request.key for request in requests if request.ask.keyed or request.node.on_error.unknown == "retry"]
    with connection.cursor() as cursor:
        params: JsonObject = {"company": company_id(), "now": now, "rows": dumps(rows).decode(), "again": repeatable}
        cursor.execute(OPEN_CALLS, params)
        answered = [row for row in cursor.fetchall() if row[3] is not None]
    inbox.put([Arrival(run, token, epoch, "call", loads(text)) for run, token, epoch, text in answered])
    notify_workers(CALLS)


def _listen(requests: Sequence[NodeRequest], now: datetime) -> None:
    """Search past events first, and listen for those that have not happened yet. Publishers of events use the same
    lane, so that no event is missed between both."""
    # Held until the commit: an event is published wholly before the look back, or after the listener is
    # there.
    locks.lock_event_types(listening.event_type_lock(request.cursor.run, request.ask.kind) for request in requests)
    events = listening.look_back([(request.cursor, request.node, request.ask) for request in requests], now)
    rows = [
        RunListener(
            run_id=request.cursor.run.pk,
            token=request.token,
            epoch=request.cursor.run.epoch,
            node=request.node.id,
            kind=request.ask.kind,
            object_id=listening.object_of(request.cursor.run, request.ask.kind),
        )
        for request, event in zip(requests, events, strict=True)
        if event is None
    ]
    RunListener.objects.bulk_create(rows)
    inbox.put(
        [
            Arrival(
                request.cursor.run.pk, request.token, request.cursor.run.epoch, "event", listening.event_json(event)
            )
            for request, event in zip(requests, events, strict=True)
            if event is not None
        ]
    )


def _start_runs(requests: Sequence[NodeRequest], now: datetime) -> None:
    """Start runs of other workflows. One that was started for the same effect before is found again."""
    # The fences of the workflows in one order.
    for workflow_id in sorted({request.ask.workflow_id for request in requests}):
        _start_runs_of(workflow_id, [request for request in requests if request.ask.workflow_id == workflow_id], now)


def _start_runs_of(workflow_id: str, requests: Sequence[NodeRequest], now: datetime) -> None:
    locks.lock_shared([workflow_id])
    workflow = Workflow.objects.filter(pk=workflow_id, is_deleted=False).first()
    keys = {request: f"child:{request.key}" for request in requests}
    hidden: dict[tuple[str, str], list[str]] = {}
    if workflow is not None and workflow.status != Workflow.Status.UNPUBLISHED:
        # A slice that is taken again finds the child by the key of the effect, and starts no second one.
        started_keys = set(
            WorkflowRun.objects.filter(workflow=workflow, entry_key__in=keys.values()).values_list(
                "entry_key", flat=True
            )
        )
        fresh = [request for request in requests if keys[request] not in started_keys]
        visits = [(request.cursor.run, request.cursor.plan, request.node) for request in fresh]
        hidden = hidden_inputs(visits, workflow.version_id)
        entries = [_entry(request, keys[request], now) for request in fresh if _place_of(request) not in hidden]
        if entries:
            start_runs(workflow, plan_of(workflow.version_id), entries)
    rows = WorkflowRun.objects.filter(workflow=workflow_id, entry_key__in=keys.values())
    children = {run.entry_key: run for run in rows}
    arrivals = []
    for request in requests:
        place = request.place
        child = children.get(keys[request])
        if child is not None and request.ask.waits and child.status not in writing.ENDED:
            # Written while the child is under way; one that has ended is answered at once, below.
            child.parent = {name: place[name] for name in ("run", "token", "epoch")}
            child.save(update_fields=["parent"])
            continue
        if child is not None:
            payload = writing.end_payload(child.pk, child.status, child.reason, child.state.get("vars", {}))
        elif (permissions := hidden.get(_place_of(request))) is not None:
            payload = {"hidden": permissions}
        else:
            payload = {"missing": True}
        arrivals.append(Arrival(place["run"], place["token"], place["epoch"], "child", payload))
    inbox.put(arrivals)


def _place_of(request: NodeRequest) -> tuple[str, str]:
    """Return the run and the node of a request."""
    return request.cursor.run.pk, request.node.id


def _entry(request: NodeRequest, key: str, now: datetime) -> Entry:
    """Return the start of a run for a request, about the same record."""
    run = request.cursor.run
    trigger = {"kind": "workflow", "happenedAt": format_iso(now), "run": run.pk, "input": dict(request.ask.given)}
    return Entry(
        key, run.contact_id, run.lead_id, trigger, run.depth + 1, reads_given(run, request.cursor.plan, request.node)
    )


def _ask_members(requests: Sequence[NodeRequest], now: datetime) -> None:
    """Keep the questions, and notify the members who may answer; the notification leads to the question."""
    rows = [
        RunApproval(
            run_id=request.cursor.run.pk,
            token=request.token,
            epoch=request.cursor.run.epoch,
            node=request.node.id,
            text=request.ask.text,
            members=list(request.ask.members),
            until=request.ask.until,
        )
        for request in requests
    ]
    # The question and the notice commit with the step that asks.
    RunApproval.objects.bulk_create(rows)
    members = Member.objects.in_bulk({id for request in requests for id in request.ask.members})
    for request, row in zip(requests, rows, strict=True):
        asking = [members[id] for id in request.ask.members if id in members]
        remember(
            "workflow.notice", f"Approval: {request.ask.text}", members=asking, about=("workflow/approvals", row.pk)
        )


OPENERS: dict[type[Ask], Callable[[Sequence[NodeRequest], datetime], None]] = {
    Call: _open_calls,
    Listen: _listen,
    StartRun: _start_runs,
    Question: _ask_members,
}
"""Kind of request -> the function that writes it."""
