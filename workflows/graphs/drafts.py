"""Drafts that may be wrong, compiled as far as they can run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.types import JsonObject, Values
from workflows.graphs.plan import Plan, compile_graph
from workflows.graphs.problems import Problem, Problems
from workflows.graphs.validation import check_draft

OF_THE_WHOLE = frozenset({"cycle", "leavesLoop"})
"""Codes of problems that name a node, and that no node alone can be blamed for."""


@dataclass
class Draft:
    """A compiled draft."""

    plan: Plan | None
    """None: nothing of it can run."""
    problems: Problems
    broken: dict[str, Problem] = field(default_factory=dict)
    """Node -> the reason why it cannot run. In the plan a node without settings or edges replaces it."""


def compile_draft(graph: Values) -> Draft:
    """Compile a draft (triggerEventType, config, nodes, edges, schedule) without its invalid parts."""
    plan, problems = check_draft(graph)
    if plan is not None:
        return Draft(plan, problems)
    compile_problems = Problems()
    plan = compile_graph(graph, compile_problems)
    if plan is not None:  # something is missing that a run by hand does without
        return Draft(plan, problems)
    broken: dict[str, Problem] = {}
    for problem in compile_problems.errors:
        if problem.node_id and problem.code not in OF_THE_WHOLE:
            broken.setdefault(problem.node_id, problem)
    return Draft(compile_graph(_without_broken(graph, broken, compile_problems), Problems()), problems, broken)


def _without_broken(graph: Values, broken: Mapping[str, Problem], problems: Problems) -> JsonObject:
    """Return the graph without its invalid parts: broken nodes stay as ends of runs."""
    wrong = {problem.edge_id for problem in problems.errors if problem.edge_id}
    config = any(not problem.node_id and problem.path.startswith("config") for problem in problems.errors)
    return {
        **graph,
        "config": {} if config else graph["config"],
        "nodes": [{**node, "type": "stop", "data": {}} if node["id"] in broken else node for node in graph["nodes"]],
        "edges": [edge for edge in graph["edges"] if edge["id"] not in wrong and edge["source"] not in broken],
    }
