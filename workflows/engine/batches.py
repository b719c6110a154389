"""Batches of nodes: all runs of a slice that are at the same node go through it at once."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, partial
from time import perf_counter

from django.db import OperationalError, transaction

from core.errors import ApiError
from core.events import event_cause
from core.text.json import format_iso
from core.types import JsonObject, Values
from workflows.engine import interpreter
from workflows.engine.cursor import Cursor
from workflows.engine.interpreter import Visit
from workflows.engine.subjects import Subject, organizations_of, values_of
from workflows.expressions.filters import ExpressionFailed
from workflows.expressions.records import ORGANIZATION
from workflows.graphs.plan import Node
from workflows.nodes.base import Item, NodeBatch, Outcome
from workflows.nodes.records import fail_by

log = logging.getLogger(__name__)

MAX_WARNINGS = 10
"""Warnings that a step shows."""


@dataclass
class CompanyContext:
    """The company that a batch belongs to, and the values of the records that its runs are about."""

    id: str
    name: str
    zone: str
    now: datetime
    actors: Mapping[str, str | None]
    """Version -> the member who published it."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Workflow -> its name."""
    known: dict[str, dict[str, JsonObject]] = field(
        default_factory=lambda: {"contact": {}, "lead": {}, ORGANIZATION: {}}
    )
    organizations: dict[Subject, str | None] = field(default_factory=dict)
    """Contact and lead of a run -> their organization."""

    def load(self, cursors: Iterable[Cursor], roots: frozenset[str]) -> None:
        """Read the records that expressions refer to, and that are not known yet."""
        cursors = list(cursors)
        for panel in roots & {"contact", "lead"}:
            ids = {id for cursor in cursors if (id := getattr(cursor.run, f"{panel}_id"))}
            self.known[panel] |= values_of(panel, ids - self.known[panel].keys())
        if ORGANIZATION in roots:
            subjects = {_subject(cursor) for cursor in cursors}
            self.organizations |= organizations_of(subjects - self.organizations.keys())
            ids = {id for subject in subjects if (id := self.organizations[subject])}
            self.known[ORGANIZATION] |= values_of(ORGANIZATION, ids - self.known[ORGANIZATION].keys())

    # The next node must see this node's values instead of the cached ones.
    def forget(self, cursors: Iterable[Cursor]) -> None:
        """Forget the values of records that may have changed."""
        for cursor in cursors:
            for panel in ("contact", "lead"):
                self.known[panel].pop(getattr(cursor.run, f"{panel}_id") or "", None)
            organization = self.organizations.pop(_subject(cursor), None)
            self.known[ORGANIZATION].pop(organization or "", None)

    def scope(self, cursor: Cursor, token: str) -> JsonObject:
        """Return the values that a run's expressions refer to."""
        run, state = cursor.run, cursor.state
        return {
            "contact": self.known["contact"].get(run.contact_id),
            "lead": self.known["lead"].get(run.lead_id),
            ORGANIZATION: self.known[ORGANIZATION].get(self.organizations.get(_subject(cursor)) or ""),
            "trigger": run.trigger,
            "steps": state.outputs,
            "vars": state.variables,
            "loop": state.loop_item(token),
            "run": cursor.facts,
            **self.facts,
        }

    @cached_property
    def facts(self) -> JsonObject:
        """The values that all runs have."""
        return {"company": {"_id": self.id, "name": self.name, "timezone": self.zone}, "now": format_iso(self.now)}


def _subject(cursor: Cursor) -> Subject:
    return cursor.run.contact_id, cursor.run.lead_id


def advance(cursors: Sequence[Cursor], context: CompanyContext) -> None:
    """Advance the runs until each of them waits, has ended, or has used its slice."""
    while group := _next_group(cursors):
        node = group[0][0].node_at(group[0][1])
        visits = [(cursor, interpreter.start_visit(cursor.plan, cursor.state, token)) for cursor, token in group]
        begun = perf_counter()
        outcomes = run_node(node, visits, context)
        # Each run's part: the batch took the time once for all of them.
        share = 1000 * (perf_counter() - begun) / len(visits)
        for (cursor, visit), outcome in zip(visits, outcomes, strict=True):
            cursor.record(visit, outcome, share)


def run_node(node: Node, visits: Sequence[tuple[Cursor, Visit]], context: CompanyContext) -> list[Outcome]:
    """Run the node for its visits. A disabled node passes them on."""
    if node.disabled:
        handles = node.type.handles(node.config)
        return [Outcome(handle=handles[0] if handles else "out") for _ in visits]
    items = _run(node, visits, context)
    if node.type.writes:
        context.forget(cursor for cursor, _ in visits)
    for item in items:
        if item.outcome.status == "failed":
            # Rendered for failures alone: only there do people need to see the values.
            item.outcome.input = render_settings(node, item.scope)
        elif item.warnings:
            item.outcome.output = {**(item.outcome.output or {}), "warnings": item.warnings[:MAX_WARNINGS]}
    return [item.outcome for item in items]


def render_settings(node: Node, scope: Values) -> JsonObject:
    """Return the node's settings with their expressions replaced by the values; null for what fails."""
    settings: JsonObject = node.config.model_dump(mode="json", by_alias=True, exclude_none=True)
    for name, compiled in node.templates.items():
        try:
            settings[name] = compiled.read(scope)
        except ExpressionFailed:
            settings[name] = None
    return settings


def _next_group(cursors: Sequence[Cursor]) -> list[tuple[Cursor, str]]:
    """Return the runs at the first node, with their tokens: one run per record, because each should see the writes
    of the one before."""
    groups: dict[tuple[int, str, str, int, bool], list[tuple[Cursor, str]]] = {}
    for cursor in cursors:
        token = cursor.next_token()
        if token is not None:
            node = cursor.node_at(token)
            arrived = cursor.state.has_arrival(token)
            # Depth and arrival belong to the key: events of the batch get one cause, and a node resumes for
            # all or for none.
            key = (node.order, cursor.run.version_id, node.id, cursor.run.depth, arrived)
            groups.setdefault(key, []).append((cursor, token))
    if not groups:
        return []
    first: dict[str, tuple[Cursor, str]] = {}
    for cursor, token in groups[min(groups)]:
        # Two runs of one contact in one batch would both write from the same old values.
        first.setdefault(cursor.subject, (cursor, token))
    return list(first.values())


def _run(node: Node, visits: Sequence[tuple[Cursor, Visit]], context: CompanyContext) -> list[Item]:
    """Run the node for all, or if that fails for one after another."""
    context.load((cursor for cursor, _ in visits), frozenset(path.partition(".")[0] for path in node.paths))
    items = [_item(cursor, seen, context) for cursor, seen in visits]
    error = _attempt(node, visits, items, context)
    if error is None:
        return items
    # The savepoint has undone the batch. Alone, only the run that is at fault fails.
    if len(items) > 1:
        log.warning("node %s failed for %s runs at once; it takes them one by one", node.type.type, len(items))
        return [_run(node, [visit], context)[0] for visit in visits]
    items[0].outcome = Outcome()
    if isinstance(error, ApiError):
        fail_by(items[0], error)
    else:
        log.error("node %s failed", node.type.type, exc_info=error)
        items[0].fail("internal", f"{type(error).__name__}: the node could not be run", permanent=False)
    return items


def _item(cursor: Cursor, visit: Visit, context: CompanyContext) -> Item:
    return Item(
        cursor.run,
        context.scope(cursor, visit.token),
        partial(cursor.key_of, visit),
        visit.token,
        visit.arrived,
        cursor.state.rounds.get(visit.token, 0),
    )


def _attempt(
    node: Node, visits: Sequence[tuple[Cursor, Visit]], items: Sequence[Item], context: CompanyContext
) -> Exception | None:
    run = visits[0][0].run
    arrived = visits[0][1].arrived
    batch = NodeBatch(
        config=node.config,
        items=items,
        now=context.now,
        actor_id=context.actors.get(run.version_id),
        company_id=context.id,
        zone=context.zone,
        templates=node.templates,
        conditions=node.conditions,
        node_id=node.id,
    )
    cause = {"workflow": run.workflow_id, "name": context.names.get(run.workflow_id, ""), "depth": run.depth + 1}
    try:
        # The savepoint undoes the effects of a failing node and keeps the rest of the slice.
        with transaction.atomic(), event_cause(cause):
            node.type.handle(batch, resumes=arrived is not None)
    except OperationalError:
        raise  # a deadlock or a lost connection: the whole slice comes again
    except Exception as error:  # noqa: BLE001  the edge of a node: its policy (on_error) decides
        return error
    return None
