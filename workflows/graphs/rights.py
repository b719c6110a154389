"""The permissions that a workflow needs of the member who publishes or tests it: for its actions and its reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from core.events.kinds import EVENT_KINDS, module_of
from workflows.expressions.conditions import CompiledConditions
from workflows.graphs.plan import Node, Plan
from workflows.graphs.problems import Problems

PANELS = ("contact", "lead")
May = Callable[[str, str], bool]
"""Returns whether a member may use a method on a module."""


def check_rights(plan: Plan, may: May, problems: Problems) -> None:
    """Add a problem for each permission that the member lacks."""
    for node_id, permission in needed(plan):
        module, _, method = permission.partition(".")
        if not may(module, method):
            path = "" if node_id else "config"
            problems.add("notAllowed", f"your role lacks the permission {permission}", node_id=node_id, path=path)


def lacking(plan: Plan, may: May) -> list[str]:
    """Return the permissions that the member lacks, such as contact.GET, each once."""
    permissions = dict.fromkeys(permission for _, permission in needed(plan))
    return [permission for permission in permissions if not may(*permission.split("."))]


def needed(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield node (empty: the workflow's settings) and permission, such as contact.GET, each pair once."""
    whole = [conditions for conditions in (plan.filter, *plan.ends.values()) if conditions is not None]
    heard = (plan.started_by, *(kind for kinds in plan.ended_by.values() for kind in kinds))
    pairs = [("", permission) for permission in _shown_by(heard)]
    pairs += [("", permission) for conditions in whole for permission in _read_by(conditions)]
    for node in plan.nodes.values():
        if not node.disabled:
            read = (*_shown_by(node.type.events(node.config)), *_read(node))
            pairs += [(node.id, permission) for permission in (*node.type.needs(node.config), *read)]
    yield from dict.fromkeys(pairs)


def _shown_by(kinds: Iterable[str]) -> list[str]:
    """Return what reads the payloads of events of these kinds."""
    return [f"{module_of(kind)}.GET" for kind in sorted(kinds) if kind in EVENT_KINDS]


def _read(node: Node) -> list[str]:
    """Return the permissions to read the records that a node's expressions and conditions refer to."""
    roots = {path.partition(".")[0] for path in node.paths}
    own = [f"{panel}.GET" for panel in PANELS if panel in roots]
    return [*own, *(permission for conditions in node.conditions.values() for permission in _read_by(conditions))]


def _read_by(conditions: CompiledConditions) -> list[str]:
    return [f"{panel}.GET" for panel in sorted({panel for panel, _ in conditions.parts})]
