"""The permissions that a workflow needs of the member who publishes or tests it: for its actions and its reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from core.events.kinds import EVENT_KINDS, module_of
from crm.segments.models import Segment
from workflows.expressions.conditions import CompiledConditions
from workflows.expressions.records import ORGANIZATION
from workflows.graphs.events import SEGMENT
from workflows.graphs.plan import Node, Plan
from workflows.graphs.problems import Problems

PANELS = ("contact", "lead")
READ_BY = {"contact": "contact.GET", "lead": "lead.GET", ORGANIZATION: "contact.GET"}
"""Root of expressions -> the permission to read its records."""
May = Callable[[str, str], bool]
"""Returns whether a member may use a method on a module."""


def allow_all(module: str, method: str) -> bool:
    """Return True: the service itself, which publishes demo data, has all permissions."""
    return True


@dataclass(frozen=True, slots=True)
class Need:
    """A permission that a workflow needs of its publisher, such as contact.GET, and the part that needs it."""

    permission: str
    path: str = "config"
    node_id: str = ""
    """Empty: the workflow's settings."""


def check_rights(plan: Plan, may: May, problems: Problems) -> None:
    """Add a problem for each permission that the member lacks."""
    for need in required_permissions(plan):
        if not may(*need.permission.split(".")):
            text = f"your role lacks the permission {need.permission}"
            problems.add("notAllowed", text, node_id=need.node_id, path=need.path)


def missing_permissions(plan: Plan, may: May) -> list[str]:
    """Return the permissions that the member lacks, such as contact.GET, each once."""
    permissions = dict.fromkeys(need.permission for need in required_permissions(plan))
    return [permission for permission in permissions if not may(*permission.split("."))]


def required_permissions(plan: Plan) -> Iterator[Need]:
    """Yield each permission that the workflow's settings and nodes need, once for each part that needs it."""
    needs = [Need(permission) for permission in _of_settings(plan)]
    if plan.schedule is not None and plan.schedule.panel is not None:
        needs.append(Need(f"{plan.schedule.panel}.GET", path="schedule"))
    for node in plan.nodes.values():
        if not node.disabled:
            needs += [Need(permission, path="", node_id=node.id) for permission in _of_node(plan, node)]
    yield from dict.fromkeys(needs)


def _of_settings(plan: Plan) -> Iterator[str]:
    """Yield the permissions to read what starts runs and what ends them."""
    yield from _shown_by([plan.started_by])
    yield from (f"{panel}.GET" for panel in _segment_panels(plan))
    for kinds in plan.ended_by.values():
        yield from _shown_by(kinds)
        yield from _members_shown_by(kinds)
    for conditions in (plan.filter, *plan.ends.values()):
        if conditions is not None:
            yield from _read_by(conditions)
            yield from _shown_by_steps(plan, conditions.paths)


def _of_node(plan: Plan, node: Node) -> Iterator[str]:
    """Yield the permissions of a node: for its actions, the events that it waits for, and the values that it reads."""
    kinds = node.type.events(node.config)
    yield from node.type.needs(node.config)
    yield from _shown_by(kinds)
    yield from _members_shown_by(kinds)
    roots = {path.partition(".")[0] for path in node.paths}
    yield from (permission for root, permission in READ_BY.items() if root in roots)
    for conditions in node.conditions.values():
        yield from _read_by(conditions)
    yield from _shown_by_steps(plan, node.paths)


def _segment_panels(plan: Plan) -> list[str]:
    """Return the panel of the records whose entering or leaving of a segment starts runs."""
    if plan.started_by not in SEGMENT:
        return []
    return list(Segment.objects.filter(pk=plan.config.segment or "").values_list("panel", flat=True))


def _shown_by(kinds: Iterable[str]) -> list[str]:
    """Return what reads the payloads of events of these kinds."""
    return [f"{module_of(kind)}.GET" for kind in sorted(kinds) if kind in EVENT_KINDS]


def _members_shown_by(kinds: Iterable[str]) -> list[str]:
    """Return what reads the members of segments, if the kinds are of any segment, of contacts or of leads."""
    return [f"{panel}.GET" for panel in PANELS] if set(kinds) & set(SEGMENT) else []


def _read_by(conditions: CompiledConditions) -> list[str]:
    return [f"{panel}.GET" for panel in sorted({panel for panel, _ in conditions.parts})]


def _shown_by_steps(plan: Plan, paths: Iterable[str]) -> Iterator[str]:
    """Yield what reads the outputs of steps that the paths refer to: `steps`, `steps.<node>`, `steps.<node>.<name>`."""
    guarded = [node for node in plan.nodes.values() if node.type.guards and not node.disabled]
    for path in paths:
        root, *rest = path.split(".")
        for node in guarded if root == "steps" else ():
            if rest and rest[0] != node.id:
                continue
            for name, permissions in node.type.guards.items():
                if len(rest) < 2 or rest[1] == name:
                    yield from permissions
