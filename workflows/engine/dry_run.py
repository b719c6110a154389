"""The dry run of a draft: a run goes through it by the engine's own code, in a transaction that is rolled back.

Its steps therefore show the real effects, including refusals of services, and nothing remains: no record, event,
message or call. Calls outside of the database are made by workers after a commit, and a dry run never commits. Waits
are skipped.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic
from typing import Any

from django.db import OperationalError, connection, transaction
from django.utils import timezone

from accounts.models import Company
from core.errors import PERMISSION, NamedError
from core.text.json import dumps, format_iso
from core.types import JsonObject, Values
from crm.contacts.schema import ContactSchema
from crm.leads.models import Lead
from crm.records.types import kind_of
from workflows.engine import interpreter, subjects
from workflows.engine.batches import CompanyContext, render_settings, run_node
from workflows.engine.cursor import Cursor
from workflows.engine.interpreter import Visit
from workflows.engine.models import WorkflowRun
from workflows.expressions.conditions import Subject
from workflows.graphs.drafts import Draft, compile_draft
from workflows.graphs.events import SEGMENT, TRIGGER_EVENTS, WEBHOOK
from workflows.graphs.models import Workflow, WorkflowVersion
from workflows.graphs.plan import Node, Plan
from workflows.graphs.problems import Problems
from workflows.graphs.rights import May, check_rights
from workflows.nodes.base import MAX_OUTPUT, Outcome, is_larger
from workflows.nodes.effects import of_unsent
from workflows.nodes.requests import Reason

MAX_STEPS, MAX_SECONDS = 500, 10
LOCK_SECONDS = 2
"""Seconds to wait for records that others have locked. They must not wait for the dry run themselves."""
MAX_SHOWN = 2_000_000
"""Bytes of the inputs and outputs that an answer shows."""
LEFT_OUT = {"truncated": True}
ADDRESSES = {"mail": "email", "genie": "email", "chat": "contactNumber"}
"""Type of a node that writes to the run's contact -> the contact's field that it writes to."""
Pins = Mapping[str, Values]
Status = WorkflowRun.Status


def dry_run(
    *,
    workflow: Workflow,
    graph: Values,
    member_id: str | None,
    subject: tuple[str, str] | None = None,
    trigger: Values | None = None,
    object_id: str | None = None,
    pinned: Pins | None = None,
    until: str | None = None,
    may: May | None = None,
) -> JsonObject:
    """Run a draft for a record (panel, id), with the given payload of its trigger, and write nothing.

    `object_id` is the object of the trigger's event, if it is not the record itself.

    `pinned` outcomes, node -> handle and output, replace those of nodes, which then do not run; so do those in the
    draft (data.pinned). It ends after the node `until`. Broken nodes fail when the run reaches them.

    Raises InvalidInput_400 for an unknown record, node or handle, and UnauthorizedAction_403 for actions that the
    member may not perform (`may`).
    """
    draft = compile_draft(graph)
    if may is not None and draft.plan is not None:
        _check_rights(draft.plan, may)
    contact_id, lead_id = _subject(subject)
    pins = _pins(graph, draft, pinned or {})
    if until is not None and until not in {node["id"] for node in graph["nodes"]}:
        raise NamedError("InvalidInput_400", f"the draft has no node {until[:64]!r}", field="until")
    if draft.plan is None:
        return _result("failed", "invalid", [], draft.problems)
    trial = Trial(draft, draft.plan, pins, until, {node["id"]: node["type"] for node in graph["nodes"]})
    try:
        with transaction.atomic():
            trial.go(
                _run(workflow, graph, member_id, contact_id, lead_id, _trigger(graph, subject, trigger, object_id)),
                member_id,
            )
            transaction.set_rollback(True)
    except OperationalError:  # it took too long, or others held its records for too long
        trial.ended = ("stopped", "tooLong" if monotonic() > trial.deadline else "busy")
    return _result(*trial.ended, trial.steps, draft.problems)


def _check_rights(plan: Plan, may: May) -> None:
    """Raise UnauthorizedAction_403 for nodes whose actions the member may not perform."""
    problems = Problems()
    check_rights(plan, may, problems)
    if problems.found:
        first, *others = problems.found[:20]
        text = "; ".join([first.message, *(str(problem) for problem in others)])
        raise NamedError("UnauthorizedAction_403", text, field=first.field, code=PERMISSION)


def _result(status: str, reason: str, steps: list[JsonObject], problems: Problems) -> JsonObject:
    problem_lists = problems.as_json()
    return {
        "status": status,
        "reason": reason,
        "steps": steps,
        "problems": problem_lists["errors"],
        "warnings": problem_lists["warnings"],
    }


def _subject(subject: tuple[str, str] | None) -> tuple[str | None, str | None]:
    """Return contact and lead of the run."""
    if subject is None:
        return None, None
    panel, id = subject
    if not kind_of(panel).live().filter(pk=id).exists():
        raise NamedError("InvalidInput_400", f"there is no such {panel} in this company", field="subject._id")
    return (id, None) if panel == "contact" else (Lead.objects.values_list("contact_id", flat=True).get(pk=id), id)


def _trigger(
    graph: Values, subject: tuple[str, str] | None, payload: Values | None, object_id: str | None
) -> JsonObject:
    kind = graph["triggerEventType"]
    trigger = {"kind": kind, "happenedAt": format_iso(timezone.now())}
    if object_id is not None:
        trigger["objectId"] = object_id
    elif subject is not None and kind.partition(".")[0] == subject[0]:
        trigger["objectId"] = subject[1]
    return {**trigger, "payload" if kind in TRIGGER_EVENTS or kind == WEBHOOK else "input": dict(payload or {})}


def _pins(graph: Values, draft: Draft, request_pins: Pins) -> dict[str, Outcome]:
    """Return node -> its pinned outcome. Raises InvalidInput_400 for an invalid pin of the request.

    An invalid pin of the draft is added to its problems.
    """
    nodes = draft.plan.nodes if draft.plan is not None else {}
    node_ids = {node["id"] for node in graph["nodes"]}
    outcomes: dict[str, Outcome] = {}
    pins = {node["id"]: node["data"]["pinned"] for node in graph["nodes"] if node["data"].get("pinned") is not None}
    for id, raw in {**pins, **request_pins}.items():
        where = f"pinned.{id[:64]}"
        problem = "" if id in node_ids else "the draft has no such node"
        node = nodes.get(id)
        if not problem and node is not None:
            problem, outcome = _pin(node, raw)
            if outcome is not None:
                outcomes[id] = outcome
        if problem and id in request_pins:
            raise NamedError("InvalidInput_400", problem, field=where)
        if problem:
            draft.problems.add("badValue", problem, node_id=id, path="pinned", severity="warning")
    return outcomes


def _pin(node: Node, raw: Any) -> tuple[str, Outcome | None]:
    if not isinstance(raw, Mapping) or set(raw) - {"handle", "output"}:
        return "needs an object with handle and output", None
    handles = node.handles
    handle = raw.get("handle") or (handles[0] if handles else "out")
    output = raw.get("output")
    if handles and handle not in handles:
        return f"the node has no handle {str(handle)[:64]!r}; it has {', '.join(handles)}", None
    outcome = Outcome(handle=handle, output=output)
    if node.type.type == "set" and isinstance(output, dict):
        outcome.variables = output
    if node.is_loop and isinstance(output, list):
        outcome.items = output
        outcome.output = {"count": len(output), "left": 0}
    if node.type.type == "stop":
        outcome.end_reason = "stop"
    return "", outcome


def _run(
    workflow: Workflow,
    graph: Values,
    member_id: str | None,
    contact_id: str | None,
    lead_id: str | None,
    trigger: JsonObject,
) -> WorkflowRun:
    """Write the run with its version, which nodes may refer to, in the transaction that is rolled back."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = {MAX_SECONDS * 1000}")
        cursor.execute(f"SET LOCAL lock_timeout = {LOCK_SECONDS * 1000}")
    number = 1_000_000_000 + secrets.randbelow(1_000_000_000)  # that of no version, nor of another dry run
    version = WorkflowVersion.objects.create(
        workflow=workflow, number=number, graph=dict(graph), published_by_id=member_id
    )
    run: WorkflowRun = WorkflowRun.objects.create(
        workflow=workflow,
        version=version,
        contact_id=contact_id,
        lead_id=lead_id,
        entry_key=f"dry-run:{version.pk}",
        trigger=trigger,
        status=Status.RUNNING,
        created_by_id=member_id,
    )
    return run


@dataclass
class Trial:
    """A dry run under way."""

    draft: Draft
    plan: Plan
    pins: Mapping[str, Outcome]
    until: str | None
    types: Mapping[str, str]
    """Node -> type, as the draft has it."""
    steps: list[JsonObject] = field(default_factory=list)
    ended: tuple[str, str] = ("completed", "end")
    deadline: float = field(default_factory=lambda: monotonic() + MAX_SECONDS)
    size: int = 0
    waiting: dict[str, tuple[datetime, JsonObject, datetime]] = field(default_factory=dict)
    """Token -> since when it waits, its step, and until when."""
    waited: dict[str, int] = field(default_factory=dict)
    """Token -> the seconds that it has waited at its node."""

    def go(self, run: WorkflowRun, member_id: str | None) -> None:
        """Move the run until it has ended, or must."""
        self._hold(run)
        company = Company.objects.values("name", "timezone").get(pk=run.company_id)
        now = timezone.now()
        context = CompanyContext(run.company_id, company["name"], company["timezone"], now, {run.version_id: member_id})
        self._admit(run, now)
        cursor = Cursor.from_run(run, self.plan, now)
        while True:
            token = cursor.next_token()
            self._collect(cursor, {})
            if cursor.ended is not None:
                self.ended = (cursor.ended[0], cursor.ended[1])
                return
            if token is None and not self._jump(cursor, context):
                self.ended = ("stopped", "waiting")
                return
            if token is not None and self._step(cursor, token, context):
                self.ended = ("stopped", "until")
                return
            if len(self.steps) >= MAX_STEPS or monotonic() > self.deadline:
                self.ended = ("stopped", "tooManySteps" if len(self.steps) >= MAX_STEPS else "tooLong")
                return

    def _hold(self, run: WorkflowRun) -> None:
        """Lock the records that the run may write, in the order of all writers."""
        if self.plan.writes_keys:
            ContactSchema.load().lock_unique_values()
        held = {
            **subjects.lock_contacts(filter(None, [run.contact_id]), write=self.plan.writes),
            **subjects.lock_leads(filter(None, [run.lead_id]), write=self.plan.writes),
        }
        if not {id for id in (run.contact_id, run.lead_id) if id} <= held.keys():
            raise OperationalError("others hold the record")

    def _admit(self, run: WorkflowRun, now: datetime) -> None:
        """Warn of reasons against a start: another segment, other changes, a record that the workflow refuses."""
        config = self.plan.config
        kind = run.trigger["kind"]
        payload = run.trigger.get("payload") or {}
        if kind in SEGMENT and payload and payload.get("segment") != config.segment:
            self._refuse("it waits for another segment", "config.segment")
        fields = config.changedFields or ()
        if fields and kind.endswith(".updated"):
            names = ", ".join(fields)
            changes = payload.get("changes")
            if not isinstance(changes, Mapping):
                text = f"it starts only if one of these has changed: {names}; name them in the trigger's changes"
                self.draft.problems.add("changesUnknown", text, path="config.changedFields", severity="warning")
            elif not set(fields) & set(changes):
                self._refuse(f"none of these has changed: {names}", "config.changedFields")
        conditions = self.plan.filter
        case = Subject({"contact": run.contact_id, "lead": run.lead_id}, {"trigger": run.trigger})
        try:
            admitted = conditions is None or conditions.holds([case], now)[0]
        except NamedError:  # a field that there is not, which is among the problems
            return
        if not admitted:
            self._refuse("the conditions of its trigger (filter) do not hold", "config.filter")

    def _refuse(self, reason: str, path: str) -> None:
        text = f"this would not start the workflow: {reason}"
        self.draft.problems.add("notAdmitted", text, path=path, severity="warning")

    def _step(self, cursor: Cursor, token: str, context: CompanyContext) -> bool:
        """Take the token through its node. Returns whether that was the last node to try."""
        visit = interpreter.start_visit(cursor.plan, cursor.state, token)
        node = visit.node
        details: JsonObject = {"input": None, "effect": None}
        broken = self.draft.broken.get(node.id)
        if broken is not None:
            reason = Reason(broken.message, broken.path.removeprefix("config."))
            outcome = Outcome("failed", code=broken.code, message=str(broken), reason=reason, permanent=True)
        elif node.id in self.pins:
            outcome = self.pins[node.id]
        else:
            settings = self._render_settings(cursor, visit, context)
            # The rights of a disabled node are not checked, so its settings show no values.
            details["input"] = None if node.disabled else settings
            outcome = run_node(node, [(cursor, visit)], context)[0]
            if outcome.status != "failed" and not node.disabled:
                addressed = self._with_address(node, settings, cursor, context)
                details["effect"] = of_unsent(outcome) or node.type.effect_of(addressed)
        outcome.permanent = True  # another try would come to the same
        cursor.record(visit, outcome)
        self._collect(cursor, details)
        if token in self.waited and outcome.status != "waiting":
            self.steps[-1]["waits"] = self.waited.pop(token)
        self._park(cursor, visit, outcome)
        return node.id == self.until

    def _render_settings(self, cursor: Cursor, visit: Visit, context: CompanyContext) -> JsonObject:
        """Return the node's settings with their expressions replaced."""
        node = visit.node
        context.load([cursor], frozenset(path.partition(".")[0] for path in node.paths))
        scope = context.scope(cursor, visit.token)
        return render_settings(node, scope)

    def _with_address(self, node: Node, settings: JsonObject, cursor: Cursor, context: CompanyContext) -> JsonObject:
        """Return the settings, with the address of the run's contact where a message names no other recipient."""
        field = ADDRESSES.get(node.type.type)
        if field is None or settings.get("to") or cursor.run.contact_id is None:
            return settings
        context.load([cursor], frozenset({"contact"}))
        contact = context.known["contact"].get(cursor.run.contact_id) or {}
        return {**settings, "to": contact.get(field)}

    def _park(self, cursor: Cursor, visit: Visit, outcome: Outcome) -> None:
        """Store a wait; for one that needs another's response, take the first handle."""
        if visit.token not in cursor.state.tokens or outcome.status in ("done", "failed") or not self.steps:
            return
        step = self.steps[-1]
        handles = visit.node.type.handles(visit.node.config)
        due_at = dict(cursor.timers).get(visit.token)
        if due_at is not None and (handles == ("out",) or outcome.waits_for == "timer"):
            self.waiting[visit.token] = (cursor.now, step, due_at)
            return
        handle = handles[0] if handles else "out"
        text = f"what it waits for is not known; the dry run goes by {handle!r}. Pin an output to go another way"
        self.draft.problems.add("notPinned", text, node_id=visit.node.id, severity="warning")
        step |= {"status": "done", "handle": handle, "waits": 0}
        interpreter.end_token(cursor.plan, cursor.state, visit.token, handle)

    def _jump(self, cursor: Cursor, context: CompanyContext) -> bool:
        """End the earliest wait, at its time. Return whether there was one."""
        if not self.waiting:
            return False
        token = min(self.waiting, key=lambda id: (self.waiting[id][2], int(id)))
        since, step, due_at = self.waiting.pop(token)
        cursor.now = context.now = max(cursor.now, due_at)
        step |= {"status": "done", "handle": "out", "waits": round((due_at - since).total_seconds())}
        if interpreter.wake(cursor.plan, cursor.state, token) and token in cursor.state.tokens:
            # The node itself goes on from its wait, and says how: one step for both.
            self.steps.remove(step)
            self.waited[token] = step["waits"] + self.waited.get(token, 0)
        return True

    def _collect(self, cursor: Cursor, details: Values) -> None:
        """Move the run's steps into the result, with the details."""
        for step in cursor.steps:
            entry = {
                "node": step["node"],
                "type": self.types[step["node"]],
                "visit": step["visit"],
                "status": step["status"],
                "handle": step["handle"],
                "input": self._limit_size(details.get("input")),
                "output": self._limit_size(step["output"]),
                "error": step["error"],
                "waits": None,
                "effect": details.get("effect"),
            }
            self.steps.append(entry)
        cursor.run.seq += len(cursor.steps)
        cursor.steps.clear()

    def _limit_size(self, value: Any) -> Any:
        """Return the value, or a placeholder for one that exceeds the size of the response."""
        if value is None or is_larger(value, MAX_OUTPUT):
            return None if value is None else LEFT_OUT
        self.size += len(dumps(value))
        return value if self.size <= MAX_SHOWN else LEFT_OUT
