"""A run in a slice: its state, and the data that the slice will write."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from core.spans import add_span
from core.text.json import format_iso
from core.types import JsonObject
from workflows.engine import interpreter
from workflows.engine.interpreter import MAX_STEPS, MAX_TOKENS, Visit
from workflows.engine.models import RunStep, WorkflowRun
from workflows.engine.run_state import RunState
from workflows.graphs.plan import Node, Plan
from workflows.nodes.base import MAX_OUTPUT, Outcome, is_larger
from workflows.nodes.requests import Ask, Reason

BUDGET = 50
"""The most steps of a run in one slice, so that other runs proceed too."""
MAX_STATE = 512_000
"""Bytes of a run's state."""
# Fixed for ever: keys of effects that are made from it must come out the same in later releases.
NAMESPACE = uuid.UUID("6f0d5f9e-6b1c-4f5e-9f55-0a3b6c7d8e14")
Status = WorkflowRun.Status
SUBJECT_DELETED = "subjectDeleted"
"""Reason for the cancellation of a run whose record was deleted."""


@dataclass(frozen=True, slots=True)
class RunFailure:
    """The error that failed a run: its node and code, its text for programs, and the reason for people."""

    node: str = ""
    code: str = ""
    message: str = ""
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The status, reason and state that a slice leaves a run with."""

    status: str
    reason: str
    state: JsonObject


@dataclass
class Cursor:
    """A run that a slice moves. It writes nothing itself."""

    run: WorkflowRun
    plan: Plan
    state: RunState
    now: datetime
    steps: list[JsonObject] = field(default_factory=list)
    timers: list[tuple[str, datetime]] = field(default_factory=list)
    requests: list[tuple[str, Node, str, Ask]] = field(default_factory=list)
    """Token, node, key of the effect, and the request."""
    ended: tuple[str, str] | None = None
    """Final status and reason."""
    failure: RunFailure = field(default_factory=RunFailure)

    @classmethod
    def from_run(cls, run: WorkflowRun, plan: Plan, now: datetime) -> Cursor:
        state = RunState.from_json(run.state) if run.state else interpreter.begin(plan)
        return cls(run, plan, state, now)

    @cached_property
    def facts(self) -> dict[str, str]:
        """Return the values of the run itself that expressions may refer to."""
        return {"_id": self.run.pk, "workflow": self.run.workflow_id, "startedAt": format_iso(self.run.created_at)}

    @property
    def subject(self) -> str:
        """The record that the run is about, which one run at a time writes."""
        return str(self.run.lead_id or self.run.contact_id or self.run.pk)

    def next_token(self) -> str | None:
        """Settle joins and loops. Returns the live token that comes first in the order of nodes, or None."""
        # The rest follows with the next slice; a long loop must not hold the records of others.
        if self.ended is not None or len(self.steps) >= BUDGET:
            return None
        for fired in interpreter.settle(self.plan, self.state):
            self.record_step(fired, "done", Outcome())
        if self.state.is_over():
            self.end(Status.COMPLETED, "end")
            return None
        if self.run.seq + len(self.steps) >= MAX_STEPS:
            self.fail_run("", "tooManySteps", f"the run has taken {MAX_STEPS} steps")
            return None
        if len(self.state.tokens) > MAX_TOKENS:
            self.fail_run("", "tooManyBranches", f"the run has more than {MAX_TOKENS} branches at a time")
            return None
        return interpreter.first_live(self.plan, self.state)

    def node_at(self, token: str) -> Node:
        return self.plan.nodes[self.state.tokens[token].node]

    def key_of(self, visit: Visit) -> str:
        """Return the key of a node's effect, which stays the same over tries and restarts of the worker."""
        # Turn and generation, and not the attempt: another try has to find the effect of the one before.
        return str(uuid.uuid5(NAMESPACE, f"{self.run.pk}/{visit.node.id}/{visit.turn}/{self.state.generation}"))

    def record(self, visit: Visit, outcome: Outcome, took: float | None = None) -> None:
        """Write down what became of the run at a node, and move on. `took` is how long that was, in milliseconds; of
        what it waited for here the whole wait counts."""
        if visit.since is not None:
            took = 1000 * (self.now.timestamp() - visit.since)
        # Checked before it is stored, so that the run fails at the node that made it.
        large = next((name for name, variable in outcome.variables.items() if is_larger(variable, MAX_OUTPUT)), None)
        if large is not None:
            text = f"the value has more than {MAX_OUTPUT} bytes"
            outcome = Outcome(
                "failed", code="tooLarge", message=f"{large}: {text}", reason=Reason(text, large), permanent=True
            )
        if outcome.status == "failed":
            self._record_failure(visit, outcome, took)
            return
        self.state.variables.update(outcome.variables)
        if outcome.variables and is_larger(self.state.variables, MAX_STATE):
            self._too_large()
            return
        # Only outputs that some expression refers to are kept: the state is written with every slice.
        if visit.node.id in self.plan.kept:
            self.state.outputs[visit.node.id] = _limit_size(outcome.output)
        if outcome.record is not None:
            self._adopt(*outcome.record)
        self.record_step(visit, outcome.status, outcome, None if outcome.status == "waiting" else took)
        if outcome.end_reason:
            self.end(Status.COMPLETED, outcome.end_reason)
            return
        if outcome.request is not None:
            self.requests.append((visit.token, visit.node, self.key_of(visit), outcome.request))
        if outcome.until is not None:
            self.timers.append((visit.token, outcome.until))
        interpreter.advance(self.plan, self.state, visit, outcome, since=self.now.timestamp())
        # A run that a deletion has started goes on without the record.
        about_gone = str(self.run.trigger.get("kind", "")).endswith(".deleted")
        if outcome.deletes and not about_gone and not self.state.is_over():
            self.end(Status.CANCELLED, SUBJECT_DELETED)

    def _adopt(self, panel: str, id: str) -> None:
        """Make a new record the run's own, if it has none of the panel."""
        name = f"{panel}_id"
        if getattr(self.run, name) is None:
            setattr(self.run, name, id)

    def _record_failure(self, visit: Visit, outcome: Outcome, took: float | None) -> None:
        done = interpreter.fail(self.plan, self.state, visit, retry=not outcome.permanent, unknown=outcome.unknown)
        status = {"retry": "retrying"}.get(done, "failed")
        self.record_step(visit, status, outcome, took)
        if done == "retry":
            self.timers.append((visit.token, self._next_try(visit)))
        elif done == "fail":
            self.failure = RunFailure(visit.node.id, outcome.code, outcome.message, outcome.reason)
            self.end(Status.FAILED, "error")
        elif visit.node.id in self.plan.kept:
            output = _limit_size(outcome.output) if isinstance(outcome.output, dict) else {}
            self.state.outputs[visit.node.id] = {**output, "error": self._error(visit, outcome)}

    def _next_try(self, visit: Visit) -> datetime:
        retry = visit.node.on_error.retry
        first = add_span(self.now, retry.delay.as_json(), UTC) - self.now
        most = add_span(self.now, retry.max.as_json(), UTC) - self.now
        times = 2 ** (visit.attempt - 1) if retry.backoff == "exponential" else 1
        return self.now + min(first * times, most)

    def _error(self, visit: Visit, outcome: Outcome) -> JsonObject:
        return {
            "code": outcome.code,
            "message": outcome.message,
            **outcome.reason.as_json(),
            "attempt": visit.attempt,
        }

    def record_step(self, visit: Visit, status: str, outcome: Outcome, took: float | None = None) -> None:
        """Write down a step, which took so many milliseconds."""
        failed = outcome.status == "failed"
        self.steps.append(
            {
                "node": visit.node.id,
                "visit": visit.number,
                "attempt": visit.attempt,
                "status": RunStep.Status(status).value,
                "handle": "" if failed or status == "waiting" else outcome.handle,
                "input": _limit_size(outcome.input) if failed else None,
                "output": _limit_size(outcome.output),
                "took": took,
                "error": self._error(visit, outcome) if failed else None,
            }
        )

    def end(self, status: str, reason: str) -> None:
        self.ended = (status, reason)

    def fail_run(self, node: str, code: str, message: str) -> None:
        """Fail the run for a reason that lies in no node's policy."""
        self.failure = RunFailure(node, code, message, Reason(message))
        self.end(Status.FAILED, "error")

    def _too_large(self) -> None:
        # The state is emptied, or it could not be stored at all. Visits stay for the unique key of steps.
        self.state = interpreter.begin(self.plan, self.state)
        self.fail_run("", "tooLarge", f"the run's values have more than {MAX_STATE} bytes")

    def result(self) -> Result:
        """Return the status, reason and state that the slice leaves the run with."""
        state = self.state.to_json()
        if self.ended is not None:
            status, reason = self.ended
            return Result(status, reason, state)
        # The last check before the write: PostgreSQL would take it, and every later slice would be slow.
        if is_larger(state, MAX_STATE):
            self._too_large()
            return Result(Status.FAILED, "error", self.state.to_json())
        return Result(Status.QUEUED if self.state.live_tokens() else Status.WAITING, "", state)


def _limit_size(output: Any) -> Any:
    """Return the output, or a placeholder for one that is too large."""
    return {"truncated": True} if is_larger(output, MAX_OUTPUT) else output
