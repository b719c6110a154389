"""What is wrong with a draft: all of its problems at once, by node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from core.errors import NamedError
from workflows.expressions.conditions import CompiledConditions, check_conditions
from workflows.graphs.events import KINDS, OTHERS, SCHEDULE
from workflows.graphs.plan import Plan, compile_graph
from workflows.graphs.problems import Problems
from workflows.graphs.settings import Schedule


def check_draft(graph: Mapping[str, Any]) -> tuple[Plan | None, Problems]:
    """Compile a draft (triggerEventType, config, nodes, edges, schedule) and find what is wrong with it."""
    problems = Problems()
    _check_trigger(graph, problems)
    plan = compile_graph(graph, problems)
    if plan is not None:
        _check_references(plan, problems)
        _check_company(plan, problems)
    return (None if problems.errors else plan), problems


def _check_trigger(graph: Mapping[str, Any], problems: Problems) -> None:
    kind = graph.get("triggerEventType") or ""
    if not kind:
        problems.add("noTrigger", "needs the kind of events that starts it", path="triggerEventType")
    elif kind not in KINDS and kind not in OTHERS:
        problems.add("unknownEvent", f"there is no event {kind!r}", path="triggerEventType")
    if kind == SCHEDULE:
        read_schedule(graph.get("schedule"), problems)
    if not any(node["type"] != "trigger" for node in graph["nodes"]):
        problems.add("noGraph", "the workflow has no nodes beside its trigger", path="nodes")


def read_schedule(raw: Any, problems: Problems) -> Schedule | None:
    """Read a schedule."""
    if not isinstance(raw, dict) or not raw:
        problems.add("missing", "a workflow that time starts needs a schedule", path="schedule")
        return None
    try:
        schedule = Schedule.model_validate(raw)
    except ValidationError as error:
        problems.add_invalid(error, prefix="schedule")
        return None
    return schedule


def _check_references(plan: Plan, problems: Problems) -> None:
    """Find references to steps that never come before, and to those that need not have."""
    for node in plan.nodes.values():
        for path in node.paths:
            root, _, rest = path.partition(".")
            if root != "steps" or not rest:
                continue
            other = plan.nodes.get(rest.split(".")[0])
            where = {"node_id": node.id, "path": path}
            if other is None:
                problems.add("unknownReference", f"{path}: there is no node {rest.split('.')[0]!r}", **where)
            elif node.id not in other.reach:
                problems.add("unknownReference", f"{path}: does not come before this node", **where)
            elif not comes_always(plan, other.id, node.id):
                problems.add(
                    "maybeMissing",
                    f"{path}: another branch may lead here, then it is empty",
                    **where,
                    severity="warning",
                )


def comes_always(plan: Plan, before: str, id: str) -> bool:
    """Tell whether each way from the trigger to the node leads through the other one."""
    found, open = set(), [plan.trigger]
    while open:
        place = open.pop()
        if place == id:
            return False
        if place in found or place == before:
            continue
        found.add(place)
        open += [target for targets in plan.nodes[place].targets.values() for target in targets]
    return True


def _check_company(plan: Plan, problems: Problems) -> None:
    """Find fields, tags, members and the like that the company lacks."""
    if plan.filter is not None:
        _check_tree(plan.filter, "", "config.filter", problems)
    for node in plan.nodes.values():
        for name, compiled in node.conditions.items():
            _check_tree(compiled, node.id, f"config.{name}", problems)
        for code, path, message in node.type.check(node.config):
            problems.add(code, message, node_id=node.id, path=f"config.{path}")


def _check_tree(compiled: CompiledConditions, node_id: str, path: str, problems: Problems) -> None:
    try:
        check_conditions(compiled, path)
    except NamedError as error:
        code = "unknownField" if "is unknown" in (error.detail or "") else "badValue"
        problems.add(code, str(error.detail), node_id=node_id, path=path)


__all__ = ["check_draft", "comes_always", "read_schedule"]
