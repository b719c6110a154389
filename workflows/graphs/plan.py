"""The compiled form of a graph, which the engine runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from core.errors import NamedError
from core.types import Values
from workflows.expressions import BadExpression, Compiled, compile_value
from workflows.expressions.compile import Escape
from workflows.expressions.conditions import CompiledConditions, compile_conditions
from workflows.graphs.events import SCHEDULE
from workflows.graphs.problems import Problems
from workflows.graphs.settings import ErrorPolicy, Schedule, WorkflowConfig
from workflows.nodes.base import NodeType
from workflows.nodes.registry import NODE_TYPES

ERROR, BRANCH = "error", "branch"
MAX_LOOP_DEPTH = 3


@dataclass
class Node:
    """A node of a plan."""

    id: str
    type: NodeType
    config: Any
    on_error: ErrorPolicy
    disabled: bool = False
    templates: Mapping[str, Compiled] = field(default_factory=dict)
    conditions: Mapping[str, CompiledConditions] = field(default_factory=dict)
    targets: dict[str, list[str]] = field(default_factory=dict)
    """Handle -> the nodes that it leads to."""
    order: int = 0
    """Its place in topological order."""
    reach: frozenset[str] = frozenset()
    """The nodes that can still come after it."""

    @property
    def handles(self) -> tuple[str, ...]:
        own = self.type.handles(self.config)
        branches = BRANCH in (self.on_error.then, self.on_error.unknown)
        return (*own, ERROR) if branches and ERROR not in own else own

    @property
    def is_join(self) -> bool:
        return self.type.type == "join" and not self.disabled

    @property
    def is_loop(self) -> bool:
        return self.type.type == "loop" and not self.disabled

    @property
    def paths(self) -> set[str]:
        """Return the paths that its expressions and conditions refer to."""
        template_paths = {path for compiled in self.templates.values() for path in compiled.paths}
        return template_paths | {path for compiled in self.conditions.values() for path in compiled.paths}


@dataclass
class Plan:
    """A compiled graph."""

    nodes: dict[str, Node]
    trigger: str
    config: WorkflowConfig
    filter: CompiledConditions | None = None
    ends: Mapping[str, CompiledConditions] = field(default_factory=dict)
    """goal and exit -> their conditions."""
    kept: frozenset[str] = frozenset()
    """The nodes whose outputs later ones refer to."""
    roots: frozenset[str] = frozenset()
    """The roots of all expressions."""
    started_by: str = ""
    """The kind of event that starts runs."""
    schedule: Schedule | None = None
    """The schedule that starts runs."""

    @property
    def ended_by(self) -> dict[str, tuple[str, ...]]:
        """Return goal and exit -> the kinds of events that end runs so."""
        ends = {"goal": self.config.goal, "exit": self.config.exit}
        return {name: tuple(end.events) for name, end in ends.items() if end is not None and end.events}

    @cached_property
    def awaited_events(self) -> frozenset[str]:
        """The kinds of events that nodes wait for."""
        enabled_nodes = (node for node in self.nodes.values() if not node.disabled)
        return frozenset(kind for node in enabled_nodes for kind in node.type.events(node.config))

    @property
    def events(self) -> set[str]:
        """Return the kinds of events that runs may wait for, or end by."""
        waited = set(self.awaited_events)
        ending = {kind for kinds in self.ended_by.values() for kind in kinds}
        panels = {panel for compiled in self.ends.values() for panel, _ in compiled.parts}
        return waited | ending | {f"{panel}.updated" for panel in panels}

    @property
    def writes(self) -> bool:
        return any(node.type.writes for node in self.nodes.values())

    @property
    def writes_keys(self) -> bool:
        return any(node.type.writes and node.type.writes_keys(node.config) for node in self.nodes.values())


def compile_graph(graph: Values, problems: Problems | None = None) -> Plan | None:
    """Compile a graph. Add its errors to `problems`, and return None if it cannot run.

    Without `problems` the graph is a published one, and the result is never None.
    """
    problems = Problems() if problems is None else problems
    before = len(problems.errors)
    plan = compile_partly(graph, problems)
    return plan if len(problems.errors) == before else None


def compile_partly(graph: Values, problems: Problems) -> Plan:
    """Compile the valid parts of a graph, and add the problems of the rest: nodes, settings and edges are omitted."""
    nodes: dict[str, Node] = {}
    raw_nodes, edges = graph.get("nodes") or [], graph.get("edges") or []
    for raw in raw_nodes:
        # A node with an error is left out and the rest goes on, so that people see all problems at once.
        node = _compile_node(raw, problems)
        if node is not None:
            nodes[node.id] = node
    _connect(nodes, {raw["id"] for raw in raw_nodes}, edges, problems)
    triggers = [node.id for node in nodes.values() if node.type.type == "trigger"]
    if len(triggers) != 1:
        problems.add("noTrigger", f"the graph has {len(triggers)} triggers, it needs one")
    _sort(nodes, problems)
    _check_reached(nodes, edges, problems)
    config = read_config(graph.get("config") or {}, problems)
    filtering = None
    if config is not None and config.filter is not None:
        filtering = _conditions(config.filter, "config.filter", "", problems)
    ends = {} if config is None else {"goal": config.goal, "exit": config.exit}
    ending = {
        name: _conditions(end.filter, f"config.{name}.filter", "", problems)
        for name, end in ends.items()
        if end is not None and end.filter is not None
    }
    paths = set[str]().union(*(node.paths for node in nodes.values()))
    kept_steps = frozenset(path.split(".")[1] for path in paths if path.startswith("steps."))
    return Plan(
        nodes,
        triggers[0] if triggers else "",
        config or WorkflowConfig(),
        filtering,
        {name: compiled for name, compiled in ending.items() if compiled is not None},
        # An expression that takes steps as a whole may show any of them.
        kept=frozenset(nodes) if "steps" in paths else kept_steps,
        roots=frozenset(path.partition(".")[0] for path in paths),
        started_by=graph.get("triggerEventType") or "",
        schedule=_schedule(graph),
    )


def read_config(raw: Values, problems: Problems) -> WorkflowConfig | None:
    """Read the settings of a workflow."""
    try:
        return WorkflowConfig.model_validate(raw)
    except ValidationError as error:
        problems.add_invalid(error)
        return None


def _schedule(graph: Values) -> Schedule | None:
    """Return the schedule of a graph that time starts; None for one that cannot be read, which its check names."""
    if graph.get("triggerEventType") != SCHEDULE:
        return None
    try:
        return Schedule.model_validate(graph.get("schedule"))
    except ValidationError:
        return None


def _compile_node(raw: Values, problems: Problems) -> Node | None:
    id, data = raw["id"], raw["data"]
    type = NODE_TYPES.get(raw["type"])
    if type is None:
        type_names = ", ".join(NODE_TYPES)
        problems.add(
            "unknownType", f"there is no node type {raw['type']!r}; there are {type_names}", node_id=id, path="type"
        )
        return None
    try:
        policy = ErrorPolicy.model_validate(data.get("onError") or {})
    except ValidationError as error:
        problems.add_invalid(error, id, "onError")
        policy = ErrorPolicy()
    try:
        config = type.config.model_validate(data.get("config") or {})
    except ValidationError as error:
        problems.add_invalid(error, id)
        return None
    node = Node(id, type, config, policy, disabled=data.get("disabled") is True)
    templates = {name: _template(config, name, id, problems, type.escapes.get(name)) for name in type.templates}
    trees = {name: _conditions(tree, f"config.{name}", id, problems) for name, tree in type.conditions(config).items()}
    node.templates = {name: compiled for name, compiled in templates.items() if compiled}
    node.conditions = {name: compiled for name, compiled in trees.items() if compiled}
    return node


def _template(
    config: Any, name: str, node_id: str, problems: Problems, escape: Escape | None = None
) -> Compiled | None:
    try:
        return compile_value(getattr(config, name), escape=escape)
    except BadExpression as error:
        where = {"node_id": node_id, "path": f"config.{name}"}
        problems.add(error.code, str(error), **where, reason=error.reason, params={"name": error.name})
        return None


def _conditions(tree: Any, path: str, node_id: str, problems: Problems) -> CompiledConditions | None:
    try:
        return compile_conditions(tree, path)
    except NamedError as error:
        problems.add("badValue", error.detail_at(path), node_id=node_id, path=path, reason="badConditions")
        return None


def _connect(nodes: Mapping[str, Node], node_ids: set[str], edges: Sequence[Values], problems: Problems) -> None:
    for edge in edges:
        source = edge["source"]
        target = edge["target"]
        handle = edge["sourceHandle"]
        missing_end = next((end for end in (source, target) if end not in node_ids), None)
        if missing_end is not None:
            problems.add("danglingEdge", f"there is no node {missing_end!r}", edge_id=edge["id"])
            continue
        node = nodes.get(source)
        if node is None or target not in nodes:
            continue
        handles = node.handles
        # Editors draw "out" by default; with a single way there is only one that can be meant.
        if handle == "out" and "out" not in handles and len(handles) == 1:
            handle = handles[0]
        if handle not in handles:
            problems.add(
                "unknownHandle",
                f"the node {source!r} has no handle {handle!r}; it has {', '.join(handles) or 'none'}",
                edge_id=edge["id"],
                path="sourceHandle",
            )
        elif nodes[target].type.type == "trigger":
            problems.add("cycle", "nothing leads to a trigger", edge_id=edge["id"])
        else:
            node.targets.setdefault(handle, []).append(target)


def _sort(nodes: dict[str, Node], problems: Problems) -> None:
    """Set the order and reach of the nodes; a node in a cycle, or one that leads out of a loop, is a problem."""
    incoming = dict.fromkeys(nodes, 0)
    for node in nodes.values():
        for target in _successors(node):
            # Kahn's algorithm: nodes that are left over form a cycle.
            incoming[target] += 1
    ready = [id for id, number in incoming.items() if not number]
    order: list[str] = []
    while ready:
        id = ready.pop(0)
        order.append(id)
        for target in _successors(nodes[id]):
            incoming[target] -= 1
            if not incoming[target]:
                ready.append(target)
    for id in nodes:
        if id not in order:
            problems.add("cycle", "runs in a circle; a loop node repeats things", node_id=id)
    if len(order) < len(nodes):
        return
    for place, id in enumerate(order):
        nodes[id].order = place
    # From the end, so that the reach of all followers is known.
    for id in reversed(order):
        after = _successors(nodes[id])
        # Joins ask for it in each step of each run, so it is worked out once.
        nodes[id].reach = frozenset(after).union(*(nodes[target].reach for target in after))
    _check_loops(nodes, order, problems)


def _successors(node: Node) -> list[str]:
    return [target for targets in node.targets.values() for target in targets]


def _check_reached(nodes: Mapping[str, Node], edges: Sequence[Values], problems: Problems) -> None:
    """Warn of nodes that no edges lead to from the trigger. Nodes with errors, which `nodes` lacks, lead on too."""
    reached = [node.id for node in nodes.values() if node.type.type == "trigger"]
    if not reached:
        return
    targets: dict[str, list[str]] = {}
    for edge in edges:
        targets.setdefault(edge["source"], []).append(edge["target"])
    for id in reached:
        reached += [target for target in dict.fromkeys(targets.get(id, ())) if target not in reached]
    for id in nodes:
        if id not in reached:
            problems.add("unreachable", "nothing leads here", node_id=id, severity="warning")


def loop_body(nodes: Mapping[str, Node], loop: str) -> frozenset[str]:
    """Return the nodes that the items of a loop go through."""
    begin = nodes[loop].targets.get("item", [])
    return frozenset(begin).union(*(nodes[target].reach for target in begin))


def _check_loops(nodes: Mapping[str, Node], order: Sequence[str], problems: Problems) -> None:
    """Check that the steps of a loop's items belong to the loop alone: no other edge leads into it."""
    depths = dict.fromkeys(nodes, 0)
    for id in order:
        loop = nodes[id]
        if loop.type.type != "loop":
            continue
        body = loop_body(nodes, id)
        for inside in body:
            depths[inside] += 1
        for other in nodes.values():
            for handle, targets in other.targets.items():
                # An edge from outside would bring a token of another scope, which no join of the loop could
                # account for.
                if other.id in body or (other.id == id and handle == "item"):
                    continue
                for target in set(targets) & body:
                    problems.add(
                        "leavesLoop",
                        f"belongs to the items of the loop {id!r}, and {other.id!r} leads here too",
                        node_id=target,
                    )
    for id, depth in depths.items():
        if nodes[id].type.type == "loop" and depth >= MAX_LOOP_DEPTH:
            problems.add("tooLarge", f"loops stand at most {MAX_LOOP_DEPTH} deep in each other", node_id=id)
